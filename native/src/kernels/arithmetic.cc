// SPDX-License-Identifier: Apache-2.0
//
// add, subtract, divide and abs, checked and unchecked.
#include "kernels/arithmetic_ops.h"

#include "arrow/bitmap.h"
#include "kernels/operands.h"
#include "kernels/registry.h"
#include "kernels/selected_column.h"

namespace tombolo {
inline namespace v0 {
namespace {

enum Arithmetic : int32_t { kAdd, kSubtract, kDivide, kAbs };

bool is_number_type(const DataType& type) noexcept { return is_number(type.id); }

// Division of rows by rows, or by right[0] where right_step is 0; the code of the first valid row
// that fails. A row under a null divides by 1.
template <class T, bool kChecked>
Status divide_integers(const void* left, const void* right, int64_t right_step,
                       const uint64_t* valid, int64_t rows, void* out) noexcept {
  const auto* a = static_cast<const T*>(left);
  const auto* b = static_cast<const T*>(right);
  auto* to = static_cast<T*>(out);
  for (int64_t i = 0; i < rows; i++) {
    T divisor = b[right_step == 0 ? 0 : i];
    if (divisor == 0 || (std::is_signed_v<T> && divisor == static_cast<T>(-1))) {
      const bool there = valid == nullptr || (valid[i / kWordRows] >> (i % kWordRows) & 1) != 0;
      if (there && divisor == 0) return TOMBOLO_DIVIDE_BY_ZERO;
      if (kChecked && there && a[i] == std::numeric_limits<T>::min()) return TOMBOLO_OVERFLOW;
      using U = std::make_unsigned_t<T>;
      to[i] = static_cast<T>(static_cast<U>(U{0} - static_cast<U>(a[i])));
      continue;
    }
    to[i] = static_cast<T>(a[i] / divisor);
  }
  return TOMBOLO_OK;
}

using DivideLoop = Status (*)(const void*, const void*, int64_t, const uint64_t*, int64_t,
                              void*) noexcept;

template <bool kChecked>
DivideLoop divide_loop(TypeId id) noexcept {
  switch (id) {
    case TypeId::kInt8: return divide_integers<int8_t, kChecked>;
    case TypeId::kUInt8: return divide_integers<uint8_t, kChecked>;
    case TypeId::kInt16: return divide_integers<int16_t, kChecked>;
    case TypeId::kUInt16: return divide_integers<uint16_t, kChecked>;
    case TypeId::kInt32: return divide_integers<int32_t, kChecked>;
    case TypeId::kUInt32: return divide_integers<uint32_t, kChecked>;
    case TypeId::kInt64: return divide_integers<int64_t, kChecked>;
    default: return divide_integers<uint64_t, kChecked>;
  }
}

ArithmeticLoop loop_of(const ArithmeticOps& ops, Arithmetic op, bool checked,
                       int32_t slot) noexcept {
  if (slot < 0) return nullptr;  // bind takes numbers only
  switch (op) {
    case kAdd: return ops.add[checked][slot];
    case kSubtract: return ops.subtract[checked][slot];
    case kDivide: return ops.divide[slot];
    default: return ops.abs[checked][slot];
  }
}

struct Compute : BoundKernel {
  const Arithmetic op;
  const bool checked;
  OperandPair operands;
  DataType type;

  Compute(Arithmetic the_op, bool is_checked) noexcept : op(the_op), checked(is_checked) {}

  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept;
  Status bind_one(Context& context, const Options& options, ArrowSchema* output) noexcept;
  Status run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept;
  Status compute(Context& context, const Operand& left, const Operand& right, int64_t rows,
                 const uint64_t* valid, uint8_t* out) const noexcept;
};

template <Arithmetic kOp, bool kChecked>
struct ComputeAs : Compute {
  ComputeAs() noexcept : Compute(kOp, kChecked) {}
};

Status Compute::bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
  if (op == kAbs) return bind_one(context, options, output);
  const Status status = operands.bind(context, *this, options, is_number_type, false);
  if (status != TOMBOLO_OK) return status;
  type = operands.type();
  return result_schema(context, operands.format(), output);
}

Status Compute::bind_one(Context& context, const Options& options, ArrowSchema* output) noexcept {
  const char* const names[] = {nullptr};
  const Status status = options.check_names(context, names);
  if (status != TOMBOLO_OK) return status;
  if (input_count != 1 || inputs[0].column_count() != 1) {
    return context.fail(TOMBOLO_INVALID, "the kernel takes one column", -1, 0);
  }
  const Field& field = inputs[0].column(0);
  if (!is_number(field.type.id) || field.encoded) return context.fail(TOMBOLO_TYPE, "", 0, 0);
  type = field.type;
  return result_schema(context, field.schema->format, output);
}

Status Compute::run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept {
  const int64_t rows = batches[0].length();
  Status status = open_result(context, output, rows);
  if (status != TOMBOLO_OK) return status;
  ArrowArray* column = output->children[0];
  Operand left;
  Operand right;
  if (op == kAbs) {
    left.view = batches[0].column(0);
    right.view = left.view;
  } else {
    operands.open(batches[0], &left, &right);
  }
  if (right.null_scalar()) return all_null(context, column, rows * type.width);
  Validity validity;
  status = operand_validity(context, left, right, rows, &validity);
  if (status != TOMBOLO_OK) return status;
  void* values =
      result_values(context, column, rows * type.width, static_cast<Validity&&>(validity), &status);
  if (values == nullptr) return status;
  return compute(context, left, right, rows, static_cast<const uint64_t*>(column->buffers[0]),
                 static_cast<uint8_t*>(values));
}

Status Compute::compute(Context& context, const Operand& left, const Operand& right, int64_t rows,
                        const uint64_t* valid, uint8_t* out) const noexcept {
  alignas(64) uint8_t spread[64 * 8];
  if (right.scalar) spread_scalar(right.view, spread);
  const int64_t width = type.width;
  const int64_t step = poll_rows(2 * width);
  const int64_t right_step = right.scalar ? 0 : kWordRows;
  const ArithmeticLoop loop = loop_of(*ops->arithmetic, op, checked, number_slot(type.id));
  const DivideLoop divide = checked ? divide_loop<true>(type.id) : divide_loop<false>(type.id);
  for (int64_t i = 0; i < rows; i += step) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t n = rows - i < step ? rows - i : step;
    const uint8_t* a = left.view.bytes() + i * width;
    const uint8_t* b = right.scalar ? spread : right.view.bytes() + i * width;
    const uint64_t* words = valid == nullptr ? nullptr : valid + i / kWordRows;
    uint8_t* to = out + i * width;
    Status status = TOMBOLO_OK;
    if (loop != nullptr) {
      status = loop(a, b, right_step, words, n, to) ? TOMBOLO_OVERFLOW : TOMBOLO_OK;
    } else if (op == kAbs) {
      memcpy(to, a, static_cast<size_t>(n * width));
    } else {
      status = divide(a, b, right_step, words, n, to);
    }
    if (status != TOMBOLO_OK) return context.fail(status, "", 0, 0);
    zero_nulls(to, type.width, words, n);
  }
  return TOMBOLO_OK;
}

}  // namespace

const tombolo_kernel kAddKernel = map_kernel<ComputeAs<kAdd, true>>("add", 1);
const tombolo_kernel kAddUncheckedKernel = map_kernel<ComputeAs<kAdd, false>>("add_unchecked", 1);
const tombolo_kernel kSubtractKernel = map_kernel<ComputeAs<kSubtract, true>>("subtract", 1);
const tombolo_kernel kSubtractUncheckedKernel =
    map_kernel<ComputeAs<kSubtract, false>>("subtract_unchecked", 1);
const tombolo_kernel kDivideKernel = map_kernel<ComputeAs<kDivide, true>>("divide", 1);
const tombolo_kernel kDivideUncheckedKernel =
    map_kernel<ComputeAs<kDivide, false>>("divide_unchecked", 1);
const tombolo_kernel kAbsKernel = map_kernel<ComputeAs<kAbs, true>>("abs", 1);
const tombolo_kernel kAbsUncheckedKernel = map_kernel<ComputeAs<kAbs, false>>("abs_unchecked", 1);

}  // namespace v0
}  // namespace tombolo
