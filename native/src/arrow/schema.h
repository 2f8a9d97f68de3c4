// SPDX-License-Identifier: Apache-2.0
//
// Schemas: an owned, parsed copy of an input's schema, and a builder for the schema of a result.
#pragma once

#include "arrow/format.h"
#include "memory/context.h"

namespace tombolo {
inline namespace v0 {

// One column of a bound schema.
struct Field {
  DataType type;            // of the values; the dictionary's value type when encoded
  DataType index;           // of the dictionary's indices; meaningful when encoded
  bool encoded = false;     // dictionary-encoded
  bool nullable = true;
  const ArrowSchema* schema = nullptr;  // in the copy that the Schema owns

  // The type of the array's own buffers.
  const DataType& physical() const noexcept { return encoded ? index : type; }
};

// The schema of one input batch, parsed and copied. Move only.
class Schema {
 public:
  Schema() noexcept { copy_.release = nullptr; }
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;
  ~Schema() noexcept {
    if (copy_.release != nullptr) copy_.release(&copy_);
  }

  // Copies and parses; INVALID with the column's position when a format is outside the grammar.
  Status open(Context& context, const ArrowSchema* schema) noexcept;

  int32_t column_count() const noexcept { return column_count_; }
  const Field& column(int32_t i) const noexcept { return fields_.as<Field>()[i]; }
  const ArrowSchema* raw() const noexcept { return &copy_; }

 private:
  ArrowSchema copy_;
  Buffer fields_;
  int32_t column_count_ = 0;
};

// Copies a schema whole: children, dictionary, metadata, flags. On failure out->release is NULL.
Status copy_schema(Context& context, const ArrowSchema* schema, ArrowSchema* out) noexcept;

// Opens a schema node; its children are released structs that the caller fills by the functions of
// this header. The node can be released at any time from then on.
Status open_schema(Context& context, ArrowSchema* out, const char* format, const char* name,
                   int64_t flags, int64_t child_count) noexcept;

// Opens the struct schema of a record batch with column_count columns, to be filled.
inline Status open_batch_schema(Context& context, ArrowSchema* out, int64_t column_count) noexcept {
  return open_schema(context, out, "+s", "", 0, column_count);
}

// Two schemas describe the same values: formats and dictionary value formats equal, names aside.
bool same_type(const Field& a, const Field& b) noexcept;

}  // namespace v0
}  // namespace tombolo
