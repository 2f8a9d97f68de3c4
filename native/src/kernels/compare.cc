// SPDX-License-Identifier: Apache-2.0
//
// equal, not_equal, less, less_equal, greater, greater_equal.
#include "arrow/bitmap.h"
#include "kernels/bytes_block.h"
#include "kernels/compare_ops.h"
#include "kernels/index_rows.h"
#include "kernels/operands.h"
#include "kernels/registry.h"

namespace tombolo {
inline namespace v0 {
namespace {

bool comparable(const DataType& type) noexcept {
  if (ordered_slot(type) >= 0 || type.id == TypeId::kBool) return true;
  if (type.id == TypeId::kDecimal) return type.width == 16;
  return is_bytes(type.id);
}

// Two sides of plain layout and what to do with them.
struct Comparing {
  Context& context;
  const Dispatch& dispatch;
  Comparison op;
  Operand left;
  Operand right;
  int64_t rows;
  uint64_t* out;
};

Status compare_numbers(const Comparing& c) noexcept {
  alignas(64) uint8_t spread[2][64 * 8];
  const Operand* sides[2] = {&c.left, &c.right};
  const uint8_t* from[2];
  int64_t steps[2];
  for (int i = 0; i < 2; i++) {
    steps[i] = sides[i]->scalar ? 0 : kWordRows;
    if (sides[i]->scalar) spread_scalar(sides[i]->view, spread[i]);
    from[i] = sides[i]->scalar ? spread[i] : sides[i]->view.bytes();
  }
  const auto compare = c.dispatch.compare->numbers[c.op][ordered_slot(c.left.view.type)];
  const int64_t width = c.left.view.type.width;
  const int64_t step = poll_rows(2 * width);
  for (int64_t i = 0; i < c.rows; i += step) {
    if (c.context.cancelled()) return c.context.fail_cancelled();
    const int64_t n = c.rows - i < step ? c.rows - i : step;
    compare(from[0] + (steps[0] > 0 ? i * width : 0), steps[0],
            from[1] + (steps[1] > 0 ? i * width : 0), steps[1], n, c.out + i / kWordRows);
  }
  return TOMBOLO_OK;
}

uint64_t bool_word(const Operand& side, int64_t i, int64_t rows) noexcept {
  if (side.scalar) return bit_at(side.view.bits(), side.view.offset) ? ~uint64_t{0} : 0;
  return word_at(side.view.bits(), side.view.offset, i, rows);
}

Status compare_bools(const Comparing& c) noexcept {
  for (int64_t i = 0; i < c.rows; i += kWordRows) {
    if (i % poll_rows(1) == 0 && c.context.cancelled()) return c.context.fail_cancelled();
    const uint64_t a = bool_word(c.left, i, c.rows);
    const uint64_t b = bool_word(c.right, i, c.rows);
    c.out[i / kWordRows] = c.op == kEqual ? ~(a ^ b) : c.op == kLess ? ~a & b : ~a | b;
  }
  return TOMBOLO_OK;
}

__int128 decimal_at(const ColumnView& view, int64_t i) noexcept {
  __int128 value;
  memcpy(&value, view.bytes() + i * 16, sizeof value);
  return value;
}

bool answer(Comparison op, int order) noexcept {
  return op == kEqual ? order == 0 : op == kLess ? order < 0 : order <= 0;
}

Status compare_decimals(const Comparing& c) noexcept {
  for (int64_t i = 0; i < c.rows; i += kWordRows) {
    if (i % poll_rows(32) == 0 && c.context.cancelled()) return c.context.fail_cancelled();
    uint64_t word = 0;
    for (int64_t row = i; row < c.rows && row < i + kWordRows; row++) {
      const __int128 a = decimal_at(c.left.view, c.left.scalar ? 0 : row);
      const __int128 b = decimal_at(c.right.view, c.right.scalar ? 0 : row);
      word |= static_cast<uint64_t>(answer(c.op, (a > b) - (a < b))) << (row - i);
    }
    c.out[i / kWordRows] = word;
  }
  return TOMBOLO_OK;
}

template <class O>
TextSide<O> text_side(const Operand& side, int64_t i) noexcept {
  const O* offsets = side.view.offsets<O>();
  const uint8_t* end = side.view.data() + offsets[side.view.length];
  return {side.scalar ? offsets : offsets + i, side.view.data(), end, side.scalar ? 0 : 1};
}

template <class O>
Status equal_texts(const Comparing& c, void (*equal)(const TextSide<O>*, const TextSide<O>*,
                                                     int64_t, uint64_t*)) noexcept {
  const O* offsets = c.left.view.offsets<O>();
  const int64_t row_bytes = 16 + 2 * ((offsets[c.left.view.length] - offsets[0]) / c.rows);
  const int64_t step = poll_rows(row_bytes);
  for (int64_t i = 0; i < c.rows; i += step) {
    if (c.context.cancelled()) return c.context.fail_cancelled();
    const TextSide<O> left = text_side<O>(c.left, i);
    const TextSide<O> right = text_side<O>(c.right, i);
    equal(&left, &right, c.rows - i < step ? c.rows - i : step, c.out + i / kWordRows);
  }
  return TOMBOLO_OK;
}

// Every pair of layouts of bytes and every order, through blocks of references.
Status compare_bytes(const Comparing& c) noexcept {
  BytesRef left[kWordRows];
  BytesRef right[kWordRows];
  if (c.left.scalar) spread_bytes(c.left.view, left);
  if (c.right.scalar) spread_bytes(c.right.view, right);
  for (int64_t i = 0; i < c.rows; i += kWordRows) {
    if (c.context.cancelled()) return c.context.fail_cancelled();
    const int64_t n = c.rows - i < kWordRows ? c.rows - i : kWordRows;
    if (!c.left.scalar) read_bytes(c.left.view, i, n, left);
    if (!c.right.scalar) read_bytes(c.right.view, i, n, right);
    uint64_t word = 0;
    for (int64_t row = 0; row < n; row++) {
      const bool yes = c.op == kEqual ? same_bytes(left[row], right[row])
                                      : answer(c.op, order_bytes(left[row], right[row]));
      word |= static_cast<uint64_t>(yes) << row;
    }
    c.out[i / kWordRows] = word;
  }
  return TOMBOLO_OK;
}

Status compare_words(const Comparing& c) noexcept {
  const TypeId left = c.left.view.type.id;
  const TypeId right = c.right.view.type.id;
  if (ordered_slot(c.left.view.type) >= 0) return compare_numbers(c);
  if (left == TypeId::kBool) return compare_bools(c);
  if (left == TypeId::kDecimal) return compare_decimals(c);
  if (c.op == kEqual && c.rows > 0) {
    if (has_offsets32(left) && has_offsets32(right)) {
      return equal_texts<int32_t>(c, c.dispatch.compare->equal_text32);
    }
    if (has_offsets64(left) && has_offsets64(right)) {
      return equal_texts<int64_t>(c, c.dispatch.compare->equal_text64);
    }
  }
  return compare_bytes(c);
}

// The values that a dictionary column stands for, as a column of their own.
struct Decoded {
  OwnedArray values;
  Field field;
};

ColumnView plain_view(const ColumnView& encoded, const ArrowArray& array, Field* field) noexcept {
  *field = *encoded.field;
  field->encoded = false;
  ColumnView view;
  view.field = field;
  view.array = &array;
  view.type = field->type;
  view.length = array.length;
  if (array.null_count != 0) view.validity = static_cast<const uint8_t*>(array.buffers[0]);
  return view;
}

// The dictionary itself, as a plain column.
ColumnView dictionary_view(const ColumnView& encoded, Field* field) noexcept {
  *field = *encoded.field;
  field->encoded = false;
  ColumnView view = dictionary_of(encoded);
  view.field = field;
  return view;
}

Status decode(Context& context, const Dispatch& dispatch, Operand* side,
              Decoded* decoded) noexcept {
  if (!side->view.field->encoded) return TOMBOLO_OK;
  const ColumnView entries = dictionary_view(side->view, &decoded->field);
  IndexRows rows;
  Status status = rows.open(context, dispatch, side->view, entries.length, 0);
  if (status != TOMBOLO_OK) return status;
  status = rows.take(context, dispatch, entries, 0, &decoded->values.array);
  if (status != TOMBOLO_OK) return status;
  side->view = plain_view(side->view, decoded->values.array, &decoded->field);
  return TOMBOLO_OK;
}

struct ComparisonSpec {
  Comparison op;
  bool swap;
  bool negate;
};

// Fills an open column of two buffers and rows rows.
Status compare_plain(Context& context, const Dispatch& dispatch, const ComparisonSpec& spec,
                     const Operand& left, const Operand& right, int64_t rows,
                     ArrowArray* column) noexcept {
  if (right.null_scalar()) return all_null(context, column, bitmap_bytes(rows));
  Validity validity;
  Status status = operand_validity(context, left, right, rows, &validity);
  if (status != TOMBOLO_OK) return status;
  const int64_t bytes = word_count(rows) * 8;
  auto* out = static_cast<uint64_t*>(
      result_values(context, column, bytes, static_cast<Validity&&>(validity), &status));
  if (out == nullptr) return status;
  status = compare_words(
      {context, dispatch, spec.op, spec.swap ? right : left, spec.swap ? left : right, rows, out});
  if (status != TOMBOLO_OK) return status;
  const auto* valid = static_cast<const uint64_t*>(column->buffers[0]);
  const uint64_t flip = spec.negate ? ~uint64_t{0} : 0;
  for (int64_t i = 0; i < word_count(rows); i++) {
    out[i] = (out[i] ^ flip) & (valid == nullptr ? low_bits(rows - i * kWordRows) : valid[i]);
  }
  return TOMBOLO_OK;
}

struct Compare : BoundKernel {
  const ComparisonSpec spec;
  OperandPair operands;

  explicit Compare(const ComparisonSpec& the_spec) noexcept : spec(the_spec) {}

  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept;
  Status run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept;
  Status run_by_entry(Context& context, const Operand& left, const Operand& right, int64_t rows,
                      ArrowArray* output) const noexcept;
};

template <Comparison kOp, bool kSwap, bool kNegate>
struct CompareAs : Compare {
  CompareAs() noexcept : Compare({kOp, kSwap, kNegate}) {}
};

Status Compare::bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
  const Status status = operands.bind(context, *this, options, comparable, true);
  if (status != TOMBOLO_OK) return status;
  return result_schema(context, "b", output);
}

Status Compare::run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept {
  const int64_t rows = batches[0].length();
  Operand left;
  Operand right;
  Decoded decoded_left;
  Decoded decoded_right;
  operands.open(batches[0], &left, &right);
  Status status = decode(context, *ops, &right, &decoded_right);
  if (status != TOMBOLO_OK) return status;
  if (right.scalar && left.view.field->encoded && left.view.array->dictionary->length <= rows) {
    return run_by_entry(context, left, right, rows, output);
  }
  status = decode(context, *ops, &left, &decoded_left);
  if (status != TOMBOLO_OK) return status;
  status = open_result(context, output, rows);
  if (status != TOMBOLO_OK) return status;
  return compare_plain(context, *ops, spec, left, right, rows, output->children[0]);
}

// Compares each dictionary value with the scalar once and gathers the answers.
Status Compare::run_by_entry(Context& context, const Operand& left, const Operand& right,
                             int64_t rows, ArrowArray* output) const noexcept {
  Decoded answers;
  Operand entries;
  entries.view = dictionary_view(left.view, &answers.field);
  Status status = open_array(context, &answers.values.array, 2);
  if (status != TOMBOLO_OK) return status;
  answers.values.array.length = entries.view.length;
  status = compare_plain(context, *ops, spec, entries, right, entries.view.length,
                         &answers.values.array);
  if (status != TOMBOLO_OK) return status;
  Field field;
  ColumnView bools = plain_view(left.view, answers.values.array, &field);
  field.type = DataType{};
  field.type.id = TypeId::kBool;
  bools.type = field.type;
  IndexRows index;
  status = index.open(context, *ops, left.view, bools.length, 0);
  if (status == TOMBOLO_OK) status = open_batch(context, output, rows, 1);
  if (status != TOMBOLO_OK) return status;
  return index.take(context, *ops, bools, 0, output->children[0]);
}

}  // namespace

const tombolo_kernel kEqualKernel = map_kernel<CompareAs<kEqual, false, false>>("equal", 1);
const tombolo_kernel kNotEqualKernel = map_kernel<CompareAs<kEqual, false, true>>("not_equal", 1);
const tombolo_kernel kLessKernel = map_kernel<CompareAs<kLess, false, false>>("less", 1);
const tombolo_kernel kLessEqualKernel =
    map_kernel<CompareAs<kLessEqual, false, false>>("less_equal", 1);
const tombolo_kernel kGreaterKernel = map_kernel<CompareAs<kLess, true, false>>("greater", 1);
const tombolo_kernel kGreaterEqualKernel =
    map_kernel<CompareAs<kLessEqual, true, false>>("greater_equal", 1);

}  // namespace v0
}  // namespace tombolo
