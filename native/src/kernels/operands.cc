// SPDX-License-Identifier: Apache-2.0
#include "kernels/operands.h"

namespace tombolo {
inline namespace v0 {
namespace {

const char* value_format(const Field& field) noexcept {
  return field.encoded ? field.schema->dictionary->format : field.schema->format;
}

bool same_values(const DataType& a, const DataType& b) noexcept {
  return a.id == b.id && a.unit == b.unit && a.precision == b.precision && a.scale == b.scale &&
         a.width == b.width && strcmp(a.parameters, b.parameters) == 0;
}

}  // namespace

Status OperandPair::bind(Context& context, const BoundKernel& kernel, const Options& options,
                      bool (*accept)(const DataType&), bool encoded_taken) noexcept {
  const char* const names[] = {"right", nullptr};
  Status status = options.check_names(context, names);
  if (status != TOMBOLO_OK) return status;
  tombolo_object* object = nullptr;
  bool found = false;
  status = options.object(context, "right", kBatchKind, &object, &found);
  if (status != TOMBOLO_OK) return status;
  if (found) right_ = ObjectRef<BatchObject>(static_cast<BatchObject*>(object));
  const int32_t count = found ? 1 : 2;
  const Schema& schema = kernel.inputs[0];
  if (kernel.input_count != 1) return context.fail(TOMBOLO_INVALID, "the kernel takes one input");
  if (schema.column_count() != count) {
    return context.fail(TOMBOLO_INVALID, "the kernel takes another number of columns", -1, 0);
  }
  const Field& left = schema.column(0);
  if (!accept(left.type)) return context.fail(TOMBOLO_TYPE, "", 0, 0);
  if (found && (right_->schema.column_count() != 1 || right_->view.length() != 1)) {
    return context.fail(TOMBOLO_INVALID, "the option right takes one row of one column");
  }
  const Field& right = found ? right_->schema.column(0) : schema.column(1);
  if (!same_values(left.type, right.type)) {
    return context.fail(TOMBOLO_TYPE, "the operands have different types", count - 1, 0);
  }
  for (int32_t i = 0; i < count; i++) {
    if (!encoded_taken && schema.column(i).encoded) {
      return context.fail(TOMBOLO_TYPE, "the kernel takes no dictionary", i, 0);
    }
  }
  if (!encoded_taken && right.encoded) {
    return context.fail(TOMBOLO_TYPE, "the kernel takes no dictionary", 0, 0);
  }
  type_ = left.type;
  format_ = value_format(left);
  return TOMBOLO_OK;
}

void OperandPair::open(const BatchView& batch, Operand* left, Operand* right) const noexcept {
  left->view = batch.column(0);
  right->scalar = static_cast<bool>(right_);
  right->view = right->scalar ? right_->view.column(0) : batch.column(1);
}

Status operand_validity(Context& context, const Operand& left, const Operand& right, int64_t rows,
                        Validity* out) noexcept {
  const ColumnView columns[2] = {left.view, right.view};
  // A scalar can only be the right one, before or after the sides are swapped.
  if (left.scalar) return intersect_validity(context, columns + 1, 1, rows, out);
  return intersect_validity(context, columns, right.scalar ? 1 : 2, rows, out);
}

void spread_scalar(const ColumnView& scalar, void* out) noexcept {
  const auto width = static_cast<size_t>(scalar.type.width);
  for (size_t i = 0; i < 64; i++) {
    memcpy(static_cast<uint8_t*>(out) + i * width, scalar.bytes(), width);
  }
}

Status result_schema(Context& context, const char* format, ArrowSchema* output) noexcept {
  const Status status = open_batch_schema(context, output, 1);
  if (status != TOMBOLO_OK) return status;
  return open_schema(context, output->children[0], format, "result", ARROW_FLAG_NULLABLE, 0);
}

Status open_result(Context& context, ArrowArray* output, int64_t rows) noexcept {
  Status status = open_batch(context, output, rows, 1);
  if (status != TOMBOLO_OK) return status;
  status = open_array(context, output->children[0], 2);
  if (status == TOMBOLO_OK) output->children[0]->length = rows;
  return status;
}

void* result_values(Context& context, ArrowArray* column, int64_t size_bytes, Validity&& validity,
                    Status* status) noexcept {
  void* values = array_buffer(context, column, 1, size_bytes, status);
  if (values == nullptr) return nullptr;
  pad_buffer(values, size_bytes);
  adopt_validity(column, static_cast<Validity&&>(validity));
  return values;
}

Status all_null(Context& context, ArrowArray* column, int64_t value_bytes) noexcept {
  Status status = TOMBOLO_OK;
  const int64_t sizes[2] = {bitmap_bytes(column->length), value_bytes};
  for (int64_t slot = column->length > 0 ? 0 : 1; slot < 2; slot++) {
    void* memory = array_buffer(context, column, slot, sizes[slot], &status);
    if (memory == nullptr) return status;
    memset(memory, 0, static_cast<size_t>(sizes[slot]));
    pad_buffer(memory, sizes[slot]);
  }
  column->null_count = column->length;
  return TOMBOLO_OK;
}

}  // namespace v0
}  // namespace tombolo
