// SPDX-License-Identifier: Apache-2.0
//
// The rows that a mask keeps, made ready once for all columns.
#pragma once

#include "kernels/selected_column.h"

namespace tombolo {
inline namespace v0 {

class KeptRows {
 public:
  // Reads a bool column. With emit_null a null of the mask keeps its row, as a null.
  Status open(Context& context, const ColumnView& mask, bool emit_null) noexcept;

  // Keeps all of rows rows.
  Status open_all(Context& context, int64_t rows) noexcept;

  int64_t count() const noexcept { return count_; }

  // Fills out, released before, with the kept rows of a column, all but a dictionary.
  Status filter(Context& context, const Dispatch& dispatch, const ColumnView& column,
                ArrowArray* out) const noexcept;

 private:
  const uint64_t* kept() const noexcept { return kept_.as<uint64_t>(); }
  const uint64_t* nulls() const noexcept { return nulls_.as<uint64_t>(); }

  // The words of a bitmap of the column, without the rows that become null.
  Status words_of(Context& context, const uint8_t* bits, const ColumnView& column,
                  Buffer* words) const noexcept;
  Status filter_validity(Context& context, const Dispatch& dispatch, const ColumnView& column,
                         Buffer* valid, ArrowArray* out) const noexcept;
  Status filter_bitmap(Context& context, const Dispatch& dispatch, const uint64_t* words,
                       Buffer* out, int64_t* set) const noexcept;
  Status filter_fixed(Context& context, const Dispatch& dispatch, const ColumnView& column,
                      const uint64_t* valid, ArrowArray* out) const noexcept;
  template <class O>
  Status filter_text(Context& context, const Dispatch& dispatch, const ColumnView& column,
                     const uint64_t* valid, ArrowArray* out) const noexcept;
  Status filter_by_index(Context& context, const Dispatch& dispatch, const ColumnView& column,
                         ArrowArray* out) const noexcept;

  int64_t rows_ = 0;
  int64_t count_ = 0;
  Buffer kept_;
  Buffer nulls_;  // empty when no kept row becomes null
};

}  // namespace v0
}  // namespace tombolo
