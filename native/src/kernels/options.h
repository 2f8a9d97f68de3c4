// SPDX-License-Identifier: Apache-2.0
//
// The options of a bind or prepare call.
#pragma once

#include "kernels/object.h"

namespace tombolo {
inline namespace v0 {

class Options {
 public:
  Options(const tombolo_option* items, int64_t count) noexcept : items_(items), count_(count) {}

  int64_t count() const noexcept { return count_; }
  const tombolo_option& at(int64_t i) const noexcept { return items_[i]; }

  // Fails when an option's name is not among names (a list that ends with NULL) or its kind is
  // unknown.
  Status check_names(Context& context, const char* const* names) const noexcept;

  // Each looks a name up; absent leaves *value alone and *found (may be NULL) false. An option of
  // another kind is INVALID.
  Status integer(Context& context, const char* name, int64_t* value, bool* found) const noexcept;
  Status real(Context& context, const char* name, double* value, bool* found) const noexcept;
  Status boolean(Context& context, const char* name, bool* value, bool* found) const noexcept;
  Status text(Context& context, const char* name, const char** value, bool* found) const noexcept;
  Status type(Context& context, const char* name, const ArrowSchema** value,
              bool* found) const noexcept;

  // An object of the given kind; a static_cast to the kind's struct is then right, since only this
  // library's prepare makes objects of its kinds.
  Status object(Context& context, const char* name, const char* kind, tombolo_object** value,
                bool* found) const noexcept;

 private:
  Status find(Context& context, const char* name, int32_t kind, const tombolo_option** option,
              bool* found) const noexcept;

  const tombolo_option* items_;
  int64_t count_;
};

}  // namespace v0
}  // namespace tombolo
