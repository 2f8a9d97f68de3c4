// SPDX-License-Identifier: Apache-2.0
//
// The null side of a result: a row is valid where every operand is.
#pragma once

#include "arrow/output.h"

namespace tombolo {
inline namespace v0 {

// A bitmap from bit 0 on, padded as native/README.md says; without nulls it holds no memory.
struct Validity {
  Buffer bitmap;
  int64_t null_count = 0;

  // NULL when every row is valid.
  const uint8_t* bits() const noexcept { return bitmap.as<uint8_t>(); }
};

// Makes a row valid where every one of count columns has it valid.
Status intersect_validity(Context& context, const ColumnView* columns, int32_t count, int64_t rows,
                          Validity* out) noexcept;

// Gives out's slot 0 the bitmap, and the null count; the last column to take it takes the memory.
void adopt_validity(ArrowArray* out, Validity&& validity) noexcept;

// The same, by a copy.
Status copy_validity(Context& context, ArrowArray* out, const Validity& validity,
                     int64_t rows) noexcept;

}  // namespace v0
}  // namespace tombolo
