// SPDX-License-Identifier: Apache-2.0
//
// index_in: the position of each value in a value set.
#include "kernels/hash_ops.h"
#include "kernels/kernel.h"
#include "kernels/registry.h"
#include "kernels/value_set.h"

namespace tombolo {
inline namespace v0 {
namespace {

// Turns every -1 into a null over a zero; leaves no validity buffer when there is none.
Status missing_as_null(Context& context, const HashOps& ops, ArrowArray* column,
                       int32_t* positions) noexcept {
  constexpr int64_t kRows = kPollBytes / static_cast<int64_t>(sizeof(int32_t));
  static_assert(kRows % 64 == 0);
  const int64_t bytes = bitmap_bytes(column->length);
  Status status = TOMBOLO_OK;
  auto* found = static_cast<uint64_t*>(array_buffer(context, column, 0, bytes, &status));
  if (found == nullptr) return status;
  for (int64_t row = 0; row < column->length; row += kRows) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t left = column->length - row;
    column->null_count +=
        ops.drop_missing(positions + row, left < kRows ? left : kRows, found + row / 64);
  }
  pad_buffer(found, bytes);
  if (column->null_count == 0) drop_buffer(column, 0);
  return TOMBOLO_OK;
}

struct IndexIn : BoundKernel {
  ObjectRef<ValueSetObject> values;
  // One side is uint64 and the other is not: a key with the top bit set then is a large number on
  // one side and a negative one on the other, never the same.
  bool signs = false;

  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {"value_set", nullptr};
    Status status = options.check_names(context, names);
    if (status != TOMBOLO_OK) return status;
    if (inputs[0].column_count() != 1) {
      return context.fail(TOMBOLO_INVALID, "the kernel takes one column", -1, 0);
    }
    tombolo_object* object = nullptr;
    bool found = false;
    status = options.object(context, "value_set", kValueSetKind, &object, &found);
    if (status != TOMBOLO_OK) return status;
    if (!found) return context.fail(TOMBOLO_INVALID, "missing option: value_set");
    values = ObjectRef<ValueSetObject>(static_cast<ValueSetObject*>(object));
    const Field& field = inputs[0].column(0);
    if (!is_set_type(field) || key_kind_of(field) != values->set.kind()) {
      return context.fail(TOMBOLO_TYPE, "the column is not of the set's kind", 0, 0);
    }
    signs = values->set.kind() == KeyKind::kInteger &&
            values->is_unsigned != (field.type.id == TypeId::kUInt64);
    status = open_batch_schema(context, output, 1);
    if (status != TOMBOLO_OK) return status;
    return open_schema(context, output->children[0], "i", "result", ARROW_FLAG_NULLABLE, 0);
  }

  Status run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept {
    const int64_t rows = batches[0].length();
    Status status = open_batch(context, output, rows, 1);
    if (status != TOMBOLO_OK) return status;
    ArrowArray* column = output->children[0];
    status = open_array(context, column, 2);
    if (status != TOMBOLO_OK) return status;
    column->length = rows;
    const int64_t bytes = rows * static_cast<int64_t>(sizeof(int32_t));
    auto* positions = static_cast<int32_t*>(array_buffer(context, column, 1, bytes, &status));
    if (positions == nullptr) return status;
    pad_buffer(positions, bytes);
    status = find(context, batches[0].column(0), positions);
    if (status != TOMBOLO_OK) return status;
    return missing_as_null(context, *ops->hash, column, positions);
  }

  Status find(Context& context, const ColumnView& view, int32_t* positions) const noexcept {
    KeyColumn keys;
    Status status = keys.open(context, view);
    if (status != TOMBOLO_OK) return status;
    for (int64_t row = 0; row < view.length;) {
      if (context.cancelled()) return context.fail_cancelled();
      const int64_t count = keys.block_rows(row, view.length);
      status = values->set.find(context, *ops->hash, keys, row, count, positions + row);
      if (status != TOMBOLO_OK) return at_column(context, status, 0);
      if (signs) drop_signed(view, row, count, positions + row);
      row += count;
    }
    return TOMBOLO_OK;
  }

  // Only 64-bit columns and signed ones reach keys with the top bit set.
  static void drop_signed(const ColumnView& view, int64_t row, int64_t count,
                          int32_t* positions) noexcept {
    for (int64_t i = 0; i < count; i++) {
      if (valid_at(view, row + i) && index_at(view, row + i) < 0) positions[i] = -1;
    }
  }
};

}  // namespace

const tombolo_kernel kIndexInKernel = map_kernel<IndexIn>("index_in", 1);

}  // namespace v0
}  // namespace tombolo
