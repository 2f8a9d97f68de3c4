// SPDX-License-Identifier: Apache-2.0
//
// month.
#include "arrow/bitmap.h"
#include "kernels/operands.h"
#include "kernels/registry.h"
#include "kernels/selected_column.h"

namespace tombolo {
inline namespace v0 {
namespace {

constexpr int64_t kSecondsPerDay = 24 * 60 * 60;

struct MonthDay {
  int64_t month;  // 1 to 12
  int64_t day;    // of the month, from 0
};

// Of a day counted from 1970-01-01, in the proleptic Gregorian calendar. Years begin in March here,
// so that the leap day comes last.
MonthDay civil_month(int64_t day) noexcept {
  constexpr int64_t kDaysPerEra = 146097;  // 400 years
  constexpr int64_t kShift = 719468;       // from 0000-03-01 to 1970-01-01
  // The remainder is above -kDaysPerEra and the shift is more than that: never negative.
  const auto of_era = static_cast<uint32_t>((day % kDaysPerEra + kShift) % kDaysPerEra);
  const uint32_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const uint32_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const uint32_t shifted = (5 * of_year + 2) / 153;  // months since March
  const uint32_t of_month = of_year - (153 * shifted + 2) / 5;
  return {shifted < 10 ? shifted + 3 : int64_t{shifted} - 9, of_month};
}

// A stretch of time inside one month, [begin, end) in units of the column.
struct MonthSpan {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t month = 0;
};

template <int64_t kPerDay>
MonthSpan month_span(int64_t t) noexcept {
  int64_t day = t / kPerDay;
  if (t % kPerDay < 0) day--;
  const MonthDay of = civil_month(day);
  MonthSpan span = {t, t, of.month};
  constexpr int64_t kDayMax = std::numeric_limits<int64_t>::max() / kPerDay / 2;
  const int64_t first = day - of.day;
  // Far from the ends of time the stretch is known without overflow. Every month has 28 days.
  if (first < -kDayMax || first > kDayMax - 32) return span;
  span.begin = first * kPerDay;
  span.end = span.begin + 28 * kPerDay;
  if (t >= span.end) {
    span.begin = day * kPerDay;
    span.end = span.begin + kPerDay;
  }
  return span;
}

// Times are mostly near their neighbours: the same month needs no calendar.
template <class T, int64_t kPerDay>
void months(const void* in, int64_t rows, int64_t* out) noexcept {
  const auto* from = static_cast<const T*>(in);
  MonthSpan span;
  for (int64_t i = 0; i < rows; i++) {
    const int64_t t = from[i];
    if (t < span.begin || t >= span.end) span = month_span<kPerDay>(t);
    out[i] = span.month;
  }
}

using MonthLoop = void (*)(const void*, int64_t, int64_t*) noexcept;

MonthLoop month_loop(const DataType& type) noexcept {
  if (type.id == TypeId::kDate32) return months<int32_t, 1>;
  if (type.id == TypeId::kDate64) return months<int64_t, kSecondsPerDay * 1000>;
  switch (type.unit) {
    case TimeUnit::kSecond: return months<int64_t, kSecondsPerDay>;
    case TimeUnit::kMilli: return months<int64_t, kSecondsPerDay * 1000>;
    case TimeUnit::kMicro: return months<int64_t, kSecondsPerDay * 1000000>;
    default: return months<int64_t, kSecondsPerDay * 1000000000>;
  }
}

// Whether a time zone needs no table of offsets.
bool is_utc(const char* zone) noexcept {
  for (const char* known : {"", "UTC", "Etc/UTC", "Z", "+00:00", "-00:00", "GMT"}) {
    if (strcmp(zone, known) == 0) return true;
  }
  return false;
}

struct Month : BoundKernel {
  MonthLoop loop = nullptr;

  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {nullptr};
    const Status status = options.check_names(context, names);
    if (status != TOMBOLO_OK) return status;
    if (input_count != 1 || inputs[0].column_count() != 1) {
      return context.fail(TOMBOLO_INVALID, "the kernel takes one column", -1, 0);
    }
    const Field& field = inputs[0].column(0);
    const bool date = field.type.id == TypeId::kDate32 || field.type.id == TypeId::kDate64;
    if (field.encoded || (!date && field.type.id != TypeId::kTimestamp)) {
      return context.fail(TOMBOLO_TYPE, "month takes timestamps and dates", 0, 0);
    }
    if (!date && !is_utc(field.type.parameters)) {
      return context.fail(TOMBOLO_TYPE, "the time zone is not UTC", 0, 0);
    }
    loop = month_loop(field.type);
    return result_schema(context, "l", output);
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
    auto* out = static_cast<int64_t*>(
        result_values(context, column, rows * 8, static_cast<Validity&&>(validity), &status));
    if (out == nullptr) return status;
    const auto* valid = static_cast<const uint64_t*>(column->buffers[0]);
    const int64_t step = poll_rows(8);
    for (int64_t i = 0; i < rows; i += step) {
      if (context.cancelled()) return context.fail_cancelled();
      const int64_t n = rows - i < step ? rows - i : step;
      loop(in.bytes() + i * in.type.width, n, out + i);
      zero_nulls(out + i, 8, valid == nullptr ? nullptr : valid + i / kWordRows, n);
    }
    return TOMBOLO_OK;
  }
};

}  // namespace

const tombolo_kernel kMonthKernel = map_kernel<Month>("month", 1);

}  // namespace v0
}  // namespace tombolo
