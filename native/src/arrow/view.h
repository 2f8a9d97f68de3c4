// SPDX-License-Identifier: Apache-2.0
//
// Read-only views of input batches.
#pragma once

#include "arrow/schema.h"

namespace tombolo {
inline namespace v0 {

// One column of an input batch, its offset resolved. Element i of the column is element offset + i
// of the buffers.
struct ColumnView {
  const Field* field = nullptr;
  const ArrowArray* array = nullptr;
  DataType type;                      // of the buffers: the index type when encoded
  int64_t length = 0;
  int64_t offset = 0;
  const uint8_t* validity = nullptr;  // NULL when no row can be null

  // Fixed-width values, from the first row on.
  template <class T>
  const T* values() const noexcept {
    return static_cast<const T*>(array->buffers[1]) + offset;
  }
  // Values of type->width bytes each, from the first row on.
  const uint8_t* bytes() const noexcept {
    return static_cast<const uint8_t*>(array->buffers[1]) + offset * type.width;
  }
  // Bit-packed values; row i is bit offset + i.
  const uint8_t* bits() const noexcept { return static_cast<const uint8_t*>(array->buffers[1]); }

  // Offsets (int32_t or int64_t) from the first row on, length + 1 of them; NULL when the array is
  // empty and came without.
  template <class T>
  const T* offsets() const noexcept {
    const auto* first = static_cast<const T*>(array->buffers[1]);
    return first == nullptr ? nullptr : first + offset;
  }
  // The bytes that offsets point into.
  const uint8_t* data() const noexcept { return static_cast<const uint8_t*>(array->buffers[2]); }
};

// An input batch: checks it against its schema once, then hands out columns.
class BatchView {
 public:
  // RELEASED, or INVALID with the column, when the batch does not fit its schema. Only counts and
  // pointers are looked at; values are the business of validation on import.
  Status open(Context& context, const Schema& schema, const ArrowArray* array) noexcept;

  int64_t length() const noexcept { return array_->length; }
  int32_t column_count() const noexcept { return schema_->column_count(); }
  const ArrowArray* raw() const noexcept { return array_; }
  ColumnView column(int32_t i) const noexcept;

 private:
  const Schema* schema_ = nullptr;
  const ArrowArray* array_ = nullptr;
};

// The values of a dictionary-encoded column: a view of the whole dictionary.
ColumnView dictionary_of(const ColumnView& column) noexcept;

// One value of a text or binary layout, whatever its width of offsets.
struct BytesRef {
  const uint8_t* data;
  int64_t size;
};

// Value i of a utf8, large_utf8, utf8_view or binary column. Slow for loops over many rows of the
// offset layouts: those read offsets<T>() themselves.
BytesRef bytes_at(const ColumnView& column, int64_t i) noexcept;

// Index i of a dictionary-encoded or integer column, widened.
int64_t index_at(const ColumnView& column, int64_t i) noexcept;

inline bool bit_at(const uint8_t* bits, int64_t i) noexcept {
  return (bits[i >> 3] >> (i & 7) & 1) != 0;
}
inline bool valid_at(const ColumnView& column, int64_t i) noexcept {
  return column.validity == nullptr || bit_at(column.validity, column.offset + i);
}

}  // namespace v0
}  // namespace tombolo
