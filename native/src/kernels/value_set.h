// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/key_set.h"
#include "kernels/object.h"

namespace tombolo {
inline namespace v0 {

inline constexpr char kValueSetKind[] = "value_set";

// Kind "value_set": the values of one column. The number of a key is its row in the batch.
struct ValueSetObject : Object {
  KeySet set;
  bool is_unsigned = false;  // uint64: keys with the top bit set are large, not negative
};

// Whether a column may be looked up in a value set.
inline bool is_set_type(const Field& field) noexcept {
  return is_text(field.type.id) || (!field.encoded && is_integer(field.type.id));
}

}  // namespace v0
}  // namespace tombolo
