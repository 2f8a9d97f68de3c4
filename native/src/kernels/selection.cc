// SPDX-License-Identifier: Apache-2.0
//
// filter and take. Both go column by column over buffers alone.
#include "kernels/index_rows.h"
#include "kernels/kept_rows.h"
#include "kernels/kernel.h"
#include "kernels/registry.h"

namespace tombolo {
inline namespace v0 {
namespace {

// The schema of the values with every field nullable: a null in the selection gives nulls anywhere.
Status copy_nullable(Context& context, const ArrowSchema* schema, ArrowSchema* out) noexcept {
  const Status status = copy_schema(context, schema, out);
  if (status != TOMBOLO_OK) return status;
  for (int64_t i = 0; i < out->n_children; i++) out->children[i]->flags |= ARROW_FLAG_NULLABLE;
  return TOMBOLO_OK;
}

struct Filter : BoundKernel {
  bool emit_null = false;

  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {"null_selection", nullptr};
    Status status = options.check_names(context, names);
    if (status != TOMBOLO_OK) return status;
    if (input_count != 2) return context.fail(TOMBOLO_INVALID, "filter takes two inputs");
    if (inputs[1].column_count() != 1) {
      return context.fail(TOMBOLO_INVALID, "the mask is one column", -1, 1);
    }
    const Field& mask = inputs[1].column(0);
    if (mask.type.id != TypeId::kBool || mask.encoded) {
      return context.fail(TOMBOLO_TYPE, "the mask is not bool", 0, 1);
    }
    status = check_selectable(context, inputs[0], 0);
    if (status != TOMBOLO_OK) return status;
    const char* behaviour = "drop";
    status = options.text(context, "null_selection", &behaviour, nullptr);
    if (status != TOMBOLO_OK) return status;
    emit_null = strcmp(behaviour, "emit_null") == 0;
    if (!emit_null && strcmp(behaviour, "drop") != 0) {
      return context.fail(TOMBOLO_INVALID, "null_selection is drop or emit_null");
    }
    if (emit_null) return copy_nullable(context, inputs[0].raw(), output);
    return copy_schema(context, inputs[0].raw(), output);
  }

  Status run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept {
    const BatchView& batch = batches[0];
    if (batch.length() != batches[1].length()) {
      return context.fail(TOMBOLO_INVALID, "the mask has not as many rows as the batch", 0, 1);
    }
    KeptRows rows;
    Status status = rows.open(context, batches[1].column(0), emit_null);
    if (status != TOMBOLO_OK) return status;
    status = open_batch(context, output, rows.count(), batch.column_count());
    for (int32_t i = 0; status == TOMBOLO_OK && i < batch.column_count(); i++) {
      const ColumnView column = batch.column(i);
      status = rows.filter(context, *ops, column, output->children[i]);
      if (status != TOMBOLO_OK) return status;
      status = give_dictionary(context, *ops, column, nullptr, output->children[i]);
    }
    return status;
  }
};

struct Take : BoundKernel {
  ObjectRef<BatchObject> prepared;

  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {"values", nullptr};
    Status status = options.check_names(context, names);
    if (status != TOMBOLO_OK) return status;
    tombolo_object* object = nullptr;
    bool found = false;
    status = options.object(context, "values", kBatchKind, &object, &found);
    if (status != TOMBOLO_OK) return status;
    if (found) prepared = ObjectRef<BatchObject>(static_cast<BatchObject*>(object));
    const int32_t argument = found ? 0 : 1;
    if (input_count != argument + 1) {
      return context.fail(TOMBOLO_INVALID, "take has one input with values and two without");
    }
    if (inputs[argument].column_count() != 1) {
      return context.fail(TOMBOLO_INVALID, "the index is one column", -1, argument);
    }
    const Field& index = inputs[argument].column(0);
    if (!is_integer(index.type.id) || index.encoded) {
      return context.fail(TOMBOLO_TYPE, "the index is not an integer", 0, argument);
    }
    const Schema& schema = found ? prepared->schema : inputs[0];
    status = check_selectable(context, schema, 0);
    if (status != TOMBOLO_OK) return status;
    return copy_nullable(context, schema.raw(), output);
  }

  Status run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept {
    BatchObject* keeper = prepared.get();
    const BatchView& batch = keeper != nullptr ? keeper->view : batches[0];
    const int32_t argument = keeper != nullptr ? 0 : 1;
    IndexRows rows;
    Status status = rows.open(context, *ops, batches[argument].column(0), batch.length(), argument);
    if (status != TOMBOLO_OK) return status;
    status = open_batch(context, output, rows.rows(), batch.column_count());
    for (int32_t i = 0; status == TOMBOLO_OK && i < batch.column_count(); i++) {
      const ColumnView column = batch.column(i);
      status = rows.take(context, *ops, column, i, output->children[i]);
      if (status != TOMBOLO_OK) return status;
      status = give_dictionary(context, *ops, column, keeper, output->children[i]);
    }
    return status;
  }
};

}  // namespace

const tombolo_kernel kFilterKernel = map_kernel<Filter>("filter", 2);
const tombolo_kernel kTakeKernel = map_kernel<Take>("take", -1);

}  // namespace v0
}  // namespace tombolo
