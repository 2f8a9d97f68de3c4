// SPDX-License-Identifier: Apache-2.0
//
// The rows that take gathers, checked once for all columns.
#pragma once

#include "kernels/selected_column.h"

namespace tombolo {
inline namespace v0 {

class IndexRows {
 public:
  // Reads an integer column, which must outlive this. INDEX when one that is not null is outside
  // [0, limit).
  Status open(Context& context, const Dispatch& dispatch, const ColumnView& index, int64_t limit,
              int32_t argument) noexcept;

  // Takes over a list of indices that are known to be right; without valid none is null.
  void open_list(Buffer&& list, int64_t rows, Buffer&& valid) noexcept;

  int64_t rows() const noexcept { return rows_; }

  // Fills out, released before, with the rows of a column, all but a dictionary. position is that
  // of the column, for an error.
  Status take(Context& context, const Dispatch& dispatch, const ColumnView& column,
              int32_t position, ArrowArray* out) const noexcept;

 private:
  Status normalise(Context& context, const ColumnView& index) noexcept;
  const uint64_t* valid() const noexcept { return valid_.as<uint64_t>(); }

  template <class I>
  Status take_as(Context& context, const Dispatch& dispatch, const I* index,
                 const ColumnView& column, int32_t position, ArrowArray* out) const noexcept;
  template <class I>
  Status take_validity(Context& context, const I* index, const ColumnView& column,
                       ArrowArray* out) const noexcept;
  template <class I>
  Status take_bits(Context& context, const I* index, const ColumnView& column,
                   ArrowArray* out) const noexcept;
  template <class I>
  Status take_fixed(Context& context, const I* index, const ColumnView& column,
                    ArrowArray* out) const noexcept;
  template <class I, class O>
  Status take_text(Context& context, const Dispatch& dispatch, const I* index,
                   const ColumnView& column, int32_t position, ArrowArray* out) const noexcept;
  template <class I>
  Status take_views(Context& context, const I* index, const ColumnView& column, int32_t position,
                    ArrowArray* out) const noexcept;

  int64_t rows_ = 0;
  bool wide_ = true;              // indices are 8 bytes each, not 4
  const void* index_ = nullptr;   // unsigned; under a null a row of the values all the same
  Buffer list_;                   // what index_ points to when it is not the column itself
  Buffer valid_;                  // whole words; empty when no index is null
};

}  // namespace v0
}  // namespace tombolo
