// SPDX-License-Identifier: Apache-2.0
//
// The aggregates of group_by: what each keeps for a group, and its result.
#pragma once

#include "arrow/bitmap.h"
#include "arrow/output.h"
#include "kernels/options.h"

namespace tombolo {
inline namespace v0 {

// Bytes of a count of rows.
inline constexpr int64_t kCountBytes = static_cast<int64_t>(sizeof(int64_t));

enum class AggregateFunction : int32_t { kCount, kCountIf, kSum, kMean, kMin, kMax };

// One column of the batches that aggregates read. It counts nulls for all of them.
class AggregateInput {
 public:
  // The column's position in the batch, -1 for all rows.
  void open(int32_t column) noexcept { column_ = column; }
  int32_t column() const noexcept { return column_; }

  // Points at the column of a batch. INDEX for a dictionary code outside its dictionary.
  Status begin(Context& context, const BatchView& batch) noexcept;

  // Counts the nulls of count rows from row on.
  Status consume(Context& context, int64_t row, const int32_t* groups, int64_t count,
                 int64_t group_count) noexcept;
  Status merge(Context& context, const AggregateInput& other, const int32_t* to,
               int64_t other_count, int64_t group_count) noexcept;
  void clear() noexcept;

  // The rows of each group that were not null: rows itself, or made in scratch.
  Status counts(Context& context, const Buffer& rows, int64_t group_count, Buffer* scratch,
                const int64_t** counts) const noexcept;

  const ColumnView& view() const noexcept { return view_; }
  // Through the dictionary where there is one.
  bool all_valid() const noexcept { return validity_ == nullptr; }
  bool valid(int64_t row) const noexcept {
    return validity_ == nullptr || bit_at(validity_, validity_offset_ + row);
  }
  // Validity of up to 64 of count rows from row + i on, where not all are valid.
  uint64_t valid_word(int64_t row, int64_t i, int64_t count) const noexcept {
    return word_at(validity_, validity_offset_ + row, i, count);
  }

 private:
  Status begin_coded(Context& context) noexcept;
  Status grow(Context& context, int64_t group_count) noexcept;

  int32_t column_ = -1;
  ColumnView view_;
  const uint8_t* validity_ = nullptr;
  int64_t validity_offset_ = 0;
  Buffer merged_;             // a validity of our own making
  Buffer nulls_;              // int64 by group
  int64_t nulls_count_ = -1;  // groups in nulls_; -1 until the first null
};

// What one aggregate of fixed size does. Cells lie side by side, by group.
struct CellOps {
  int32_t cell_bytes;
  int32_t result_bytes;
  void (*clear)(void* cells, int64_t begin, int64_t end);
  // is_far says that the cells are too many for the near caches.
  void (*consume)(void* cells, const AggregateInput& input, int64_t row, const int32_t* groups,
                  int64_t count, bool is_far);
  void (*merge)(void* cells, const void* others, const int32_t* to, int64_t begin, int64_t end);
  // counts are the rows of each group that were not null; a group without gets a zero.
  void (*result)(const void* cells, const int64_t* counts, int64_t begin, int64_t end, void* out);
};

// NULL for a function that has no cells (count) or a type that it does not take.
const CellOps* cell_ops(AggregateFunction function, TypeId type) noexcept;

// The sum of an integer column out of the cells of its mean.
extern const CellOps kWideSumOps;

// One aggregate, as bound.
struct AggregateSpec {
  AggregateFunction function = AggregateFunction::kCount;
  int32_t column = -1;             // position in the batch, -1 for all rows
  int32_t input = 0;               // position among the inputs of the kernel
  int32_t owner = 0;               // the aggregate whose accumulator has the cells: this or another
  const CellOps* cells = nullptr;  // NULL for count and for text
  bool is_text = false;
  bool is_whole = false;  // of an integer column
  bool is_large = false;  // a text result is large_utf8
  bool never_null = false;
  const char* format = nullptr;  // of the result
  const char* name = nullptr;    // a view into the option
};

// Reads "function:column:name"; the name is all that follows the second colon.
Status parse_aggregate(Context& context, const Schema& schema, const tombolo_option& option,
                       AggregateSpec* spec) noexcept;

// The state of one aggregate over all groups.
class Accumulator {
 public:
  Status grow(Context& context, const AggregateSpec& spec, int64_t group_count) noexcept;
  Status consume(Context& context, const AggregateSpec& spec, const AggregateInput& input,
                 int64_t row, const int32_t* groups, int64_t count) noexcept;
  Status merge(Context& context, const AggregateSpec& spec, const Accumulator& other,
               const int32_t* to, int64_t other_count) noexcept;
  Status finish(Context& context, const AggregateSpec& spec, const int64_t* counts,
                int64_t group_count, ArrowArray* column) const noexcept;
  void clear() noexcept;

 private:
  // The best text of a group so far. Its room is used again for the next.
  struct TextCell {
    int64_t begin;
    int64_t size;  // -1 until the first
    int64_t room;
  };

  BytesRef text(int64_t group) const noexcept;
  Status offer(Context& context, AggregateFunction function, int64_t group, BytesRef text) noexcept;

  Buffer cells_;
  int64_t cell_count_ = 0;
  Buffer texts_;
  int64_t text_bytes_ = 0;
};

// Writes the validity of a result of which the groups with a count of 0 are null; none when there
// are none. column->length is set.
Status write_presence(Context& context, const int64_t* counts, ArrowArray* column) noexcept;

}  // namespace v0
}  // namespace tombolo
