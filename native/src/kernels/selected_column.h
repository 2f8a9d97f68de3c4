// SPDX-License-Identifier: Apache-2.0
//
// What filter, take and rechunk share: which columns they take, and how a result column of the same
// type is opened.
#pragma once

#include "arrow/bitmap.h"
#include "arrow/output.h"
#include "kernels/selection_ops.h"
#include "simd/dispatch.h"

namespace tombolo {
inline namespace v0 {

// How the values of a type lie in memory; nothing else of a type matters to selection.
enum class Layout : int32_t {
  kOther,   // not taken: nested, run-end encoded
  kNull,    // no buffers
  kBits,    // a bitmap
  kFixed,   // type.width bytes each; dictionary indices too
  kText32,  // int32 offsets and bytes
  kText64,  // int64 offsets and bytes
  kView,    // 16-byte views and variadic buffers
};

Layout layout_of(const DataType& type) noexcept;

// Whether selection takes a column: its own layout, and that of a dictionary's values.
bool selectable(const Field& field) noexcept;

// Fails with TYPE at the first column of the schema that selection does not take.
Status check_selectable(Context& context, const Schema& schema, int32_t argument) noexcept;

// The place of a width of 1, 2, 4, 8, 16 or 32 bytes among the functions of SelectionOps; -1 for
// others.
int32_t width_slot(int32_t width) noexcept;

// Rows between two looks at the cancel flag, in whole words, when one row reads row_bytes.
constexpr int64_t poll_rows(int64_t row_bytes) noexcept {
  const int64_t rows = (kPollBytes / (row_bytes > 0 ? row_bytes : 1)) & ~(kWordRows - 1);
  return rows > kWordRows ? rows : kWordRows;
}

// The same where a row reads bits alone.
inline constexpr int64_t kPollBits = 8 * kPollBytes;

// Opens a result column of rows rows with the buffers of column's type, none of them allocated, and
// a released dictionary when encoded.
Status open_like(Context& context, const ColumnView& column, int64_t rows, ArrowArray* out) noexcept;

// Fills a column of rows nulls.
Status fill_nulls(Context& context, const ColumnView& column, int64_t rows,
                  ArrowArray* out) noexcept;

// A text column whose offsets alone are zero: slot 1, and an empty slot 2.
Status fill_empty_text(Context& context, int64_t rows, int64_t offset_bytes,
                       ArrowArray* out) noexcept;

// A zeroed and padded buffer of size_bytes for slot.
void* zeroed_buffer(Context& context, ArrowArray* out, int64_t slot, int64_t size_bytes,
                    Status* status) noexcept;

// Keeps words of rows bits as the validity of out, or frees them when no bit is clear. null_count
// is known to the caller.
void keep_validity(ArrowArray* out, Buffer&& words, int64_t rows, int64_t null_count) noexcept;

// copy_words that looks at the cancel flag; *set, unless it is NULL, gets how many bits are set.
Status copy_bitmap(Context& context, const uint8_t* bits, int64_t offset, int64_t rows,
                   uint64_t* out, int64_t* set) noexcept;

// Writes zero under the nulls of a fixed-width column; valid has whole words.
void zero_nulls(void* values, int32_t width, const uint64_t* valid, int64_t rows) noexcept;

// Gives out->dictionary all of column's dictionary: shared with keeper, which keeps it alive, or
// copied when there is none.
Status give_dictionary(Context& context, const Dispatch& dispatch, const ColumnView& column,
                       tombolo_object* keeper, ArrowArray* out) noexcept;

}  // namespace v0
}  // namespace tombolo
