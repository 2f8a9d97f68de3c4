// SPDX-License-Identifier: Apache-2.0
//
// cast between numbers and bool.
#include "kernels/cast_ops.h"

#include "arrow/bitmap.h"
#include "kernels/compare_ops.h"
#include "kernels/operands.h"
#include "kernels/registry.h"
#include "kernels/selected_column.h"

namespace tombolo {
inline namespace v0 {
namespace {

bool castable(const Field& field) noexcept {
  return !field.encoded && (is_number(field.type.id) || field.type.id == TypeId::kBool);
}

// How many bits of a whole number a type holds without its sign.
int64_t whole_bits(const DataType& type) noexcept {
  if (type.id == TypeId::kFloat32) return 24;
  if (type.id == TypeId::kFloat64) return 53;
  return type.width * 8 - (is_signed(type.id) ? 1 : 0);
}

// The greatest whole value; of a float the end of the exact ones.
uint64_t top_of(const DataType& type) noexcept {
  const int64_t bits = whole_bits(type);
  return is_float(type.id) ? uint64_t{1} << bits : low_bits(bits);
}

// Fills span with what fits; false when every value does.
template <class F>
bool integer_span(const DataType& from, const DataType& to, CastSpan<F>* span) noexcept {
  *span = {std::numeric_limits<F>::min(), std::numeric_limits<F>::max()};
  bool narrows = false;
  if (top_of(from) > top_of(to)) {
    span->high = static_cast<F>(top_of(to));
    narrows = true;
  }
  if constexpr (std::is_signed_v<F>) {
    const bool smaller = whole_bits(from) > whole_bits(to);
    if (!is_signed(to.id) && !is_float(to.id)) {
      span->low = 0;
      narrows = true;
    } else if (smaller) {
      const int64_t top = static_cast<int64_t>(top_of(to));
      span->low = static_cast<F>(is_float(to.id) ? -top : -top - 1);
      narrows = true;
    }
  }
  return narrows;
}

template <class F>
void float_span(const DataType& to, CastSpan<F>* span) noexcept {
  F high = 1;
  for (int64_t i = 0; i < whole_bits(to); i++) high *= 2;
  *span = {is_signed(to.id) ? -high : F{0}, high};
}

struct alignas(8) SpanBytes {
  uint8_t bytes[16];
};

// The span of a safe cast; false when every value fits.
bool span_of(const DataType& from, const DataType& to, SpanBytes* out) noexcept {
  void* span = out->bytes;
  switch (from.id) {
    case TypeId::kInt8: return integer_span(from, to, static_cast<CastSpan<int8_t>*>(span));
    case TypeId::kUInt8: return integer_span(from, to, static_cast<CastSpan<uint8_t>*>(span));
    case TypeId::kInt16: return integer_span(from, to, static_cast<CastSpan<int16_t>*>(span));
    case TypeId::kUInt16: return integer_span(from, to, static_cast<CastSpan<uint16_t>*>(span));
    case TypeId::kInt32: return integer_span(from, to, static_cast<CastSpan<int32_t>*>(span));
    case TypeId::kUInt32: return integer_span(from, to, static_cast<CastSpan<uint32_t>*>(span));
    case TypeId::kInt64: return integer_span(from, to, static_cast<CastSpan<int64_t>*>(span));
    case TypeId::kUInt64: return integer_span(from, to, static_cast<CastSpan<uint64_t>*>(span));
    default: break;
  }
  if (is_float(to.id)) return false;
  if (from.id == TypeId::kFloat32) {
    float_span(to, static_cast<CastSpan<float>*>(span));
  } else {
    float_span(to, static_cast<CastSpan<double>*>(span));
  }
  return true;
}

template <class T>
void spread_bits(uint64_t word, int64_t rows, void* out) noexcept {
  auto* to = static_cast<T*>(out);
  for (int64_t i = 0; i < rows; i++) to[i] = static_cast<T>(word >> i & 1);
}

void bits_to_numbers(uint64_t word, int64_t rows, const DataType& to, void* out) noexcept {
  switch (to.id) {
    case TypeId::kFloat32: return spread_bits<float>(word, rows, out);
    case TypeId::kFloat64: return spread_bits<double>(word, rows, out);
    default: break;
  }
  switch (to.width) {
    case 1: return spread_bits<uint8_t>(word, rows, out);
    case 2: return spread_bits<uint16_t>(word, rows, out);
    case 4: return spread_bits<uint32_t>(word, rows, out);
    default: return spread_bits<uint64_t>(word, rows, out);
  }
}

struct Cast : BoundKernel {
  DataType to;
  bool safe = true;
  bool limited = false;  // a value may be outside span
  SpanBytes span = {};

  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {"to", "safe", nullptr};
    Status status = options.check_names(context, names);
    if (status != TOMBOLO_OK) return status;
    if (input_count != 1 || inputs[0].column_count() != 1) {
      return context.fail(TOMBOLO_INVALID, "the kernel takes one column", -1, 0);
    }
    const ArrowSchema* target = nullptr;
    bool found = false;
    status = options.type(context, "to", &target, &found);
    if (status == TOMBOLO_OK) status = options.boolean(context, "safe", &safe, nullptr);
    if (status != TOMBOLO_OK) return status;
    if (!found) return context.fail(TOMBOLO_INVALID, "the option to is missing");
    Field field;
    field.encoded = target->dictionary != nullptr;
    if (!parse_format(target->format, &field.type)) {
      return context.fail(TOMBOLO_INVALID, "the option to is no type");
    }
    if (!castable(inputs[0].column(0)) || !castable(field)) {
      return context.fail(TOMBOLO_TYPE, "cast takes numbers and bool", 0, 0);
    }
    to = field.type;
    const DataType& from = inputs[0].column(0).type;
    const bool numbers = from.id != TypeId::kBool && to.id != TypeId::kBool;
    limited = safe && numbers && span_of(from, to, &span);
    return result_schema(context, target->format, output);
  }

  Status run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept {
    const int64_t rows = batches[0].length();
    const ColumnView in = batches[0].column(0);
    Status status = open_result(context, output, rows);
    if (status != TOMBOLO_OK) return status;
    ArrowArray* column = output->children[0];
    Validity validity;
    status = intersect_validity(context, &in, 1, rows, &validity);
    if (status != TOMBOLO_OK) return status;
    const bool bits = to.id == TypeId::kBool;
    const int64_t size_bytes = bits ? word_count(rows) * 8 : rows * to.width;
    void* out =
        result_values(context, column, size_bytes, static_cast<Validity&&>(validity), &status);
    if (out == nullptr) return status;
    const auto* valid = static_cast<const uint64_t*>(column->buffers[0]);
    if (bits) return to_bits(context, in, rows, valid, static_cast<uint64_t*>(out));
    if (in.type.id == TypeId::kBool) return from_bits(context, in, rows, valid, out);
    return convert(context, in, rows, valid, static_cast<uint8_t*>(out));
  }

  // Every value but zero is true, NaN too.
  Status to_bits(Context& context, const ColumnView& in, int64_t rows, const uint64_t* valid,
                 uint64_t* out) const noexcept {
    alignas(64) const uint8_t zeros[64 * 8] = {};
    const bool numbers = in.type.id != TypeId::kBool;
    const int64_t step = poll_rows(numbers ? in.type.width : 1);
    for (int64_t i = 0; i < rows; i += step) {
      if (context.cancelled()) return context.fail_cancelled();
      const int64_t n = rows - i < step ? rows - i : step;
      if (!numbers) {
        copy_words(in.bits(), in.offset + i, n, out + i / kWordRows);
        continue;
      }
      ops->compare->numbers[kEqual][number_slot(in.type.id)](in.bytes() + i * in.type.width, 64,
                                                             zeros, 0, n, out + i / kWordRows);
    }
    for (int64_t i = 0; i < word_count(rows); i++) {
      const uint64_t there = valid == nullptr ? low_bits(rows - i * kWordRows) : valid[i];
      out[i] = (numbers ? ~out[i] : out[i]) & there;
    }
    return TOMBOLO_OK;
  }

  Status from_bits(Context& context, const ColumnView& in, int64_t rows, const uint64_t* valid,
                   void* out) const noexcept {
    for (int64_t i = 0; i < rows; i += kWordRows) {
      if (i % poll_rows(1) == 0 && context.cancelled()) return context.fail_cancelled();
      uint64_t word = word_at(in.bits(), in.offset, i, rows);
      if (valid != nullptr) word &= valid[i / kWordRows];
      const int64_t n = rows - i < kWordRows ? rows - i : kWordRows;
      bits_to_numbers(word, n, to, static_cast<uint8_t*>(out) + i * to.width);
    }
    return TOMBOLO_OK;
  }

  Status convert(Context& context, const ColumnView& in, int64_t rows, const uint64_t* valid,
                 uint8_t* out) const noexcept {
    const CastOps& loops = *ops->cast;
    const int32_t slot = number_slot(in.type.id);
    const bool to_uint64 = safe && is_float(in.type.id) && to.id == TypeId::kUInt64;
    const auto loop = to_uint64 ? loops.to_uint64[in.type.id == TypeId::kFloat64]
                                : loops.convert[slot][number_slot(to.id)];
    const int64_t width = in.type.width;
    // Both passes over a block find it in the first-level cache.
    const int64_t step = 1024;
    for (int64_t i = 0; i < rows; i += step) {
      if (context.cancelled()) return context.fail_cancelled();
      const int64_t n = rows - i < step ? rows - i : step;
      const uint8_t* from = in.bytes() + i * width;
      const uint64_t* words = valid == nullptr ? nullptr : valid + i / kWordRows;
      if (limited && loops.outside[slot](from, words, n, span.bytes)) {
        return context.fail(TOMBOLO_OVERFLOW, "", 0, 0);
      }
      loop(from, n, out + i * to.width);
      zero_nulls(out + i * to.width, to.width, words, n);
    }
    return TOMBOLO_OK;
  }
};

}  // namespace

const tombolo_kernel kCastKernel = map_kernel<Cast>("cast", 1);

}  // namespace v0
}  // namespace tombolo
