// SPDX-License-Identifier: Apache-2.0
//
// Counts, sums, means and extremes of numbers: cells of fixed size.
#include "kernels/aggregate.h"

namespace tombolo {
inline namespace v0 {
namespace {

constexpr uint64_t kCanonicalNan = 0x7FF8000000000000;
constexpr uint32_t kCanonicalNan32 = 0x7FC00000;

template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

template <class T>
T canonical_nan() noexcept {
  if constexpr (sizeof(T) == sizeof(float)) {
    return std::bit_cast<T>(kCanonicalNan32);
  } else {
    return std::bit_cast<T>(kCanonicalNan);
  }
}

// The scheme of an aggregate that adds values of type T into cells. Op has add(Cell&, T); its Kept,
// the part that does not depend on T, has Cell, Result, empty(), join(Cell&, const Cell&) and
// result(const Cell&, count).
template <class Kept>
struct KeptCells {
  using Cell = typename Kept::Cell;
  using Result = typename Kept::Result;

  static void clear(void* memory, int64_t begin, int64_t end) {
    auto* cells = static_cast<Cell*>(memory);
    for (int64_t i = begin; i < end; i++) cells[i] = Kept::empty();
  }

  static void merge(void* memory, const void* others, const int32_t* to, int64_t begin,
                    int64_t end) {
    auto* cells = static_cast<Cell*>(memory);
    for (int64_t i = begin; i < end; i++) {
      Kept::join(cells[to[i]], static_cast<const Cell*>(others)[i]);
    }
  }

  static void result(const void* memory, const int64_t* counts, int64_t begin, int64_t end,
                     void* out) {
    const auto* cells = static_cast<const Cell*>(memory);
    auto* results = static_cast<Result*>(out);
    for (int64_t i = begin; i < end; i++) {
      results[i] = counts[i] > 0 ? Kept::result(cells[i], counts[i]) : Result{};
    }
  }
};

template <class Op, class T>
struct Cells {
  using Kept = KeptCells<typename Op::Kept>;
  using Cell = typename Kept::Cell;

  static void consume(void* memory, const AggregateInput& input, int64_t row, const int32_t* groups,
                      int64_t count, bool is_far) {
    auto* cells = static_cast<Cell*>(memory);
    const T* values = input.view().values<T>() + row;
    if (is_far) {
      // The cells lie beyond the near caches: ask for those of rows to come.
      constexpr int64_t kAhead = 16;
      for (int64_t i = 0; i < count; i++) {
        __builtin_prefetch(&cells[groups[i + kAhead < count ? i + kAhead : i]], 1);
        if (input.valid(row + i)) Op::add(cells[groups[i]], values[i]);
      }
      return;
    }
    if (input.all_valid()) {
      for (int64_t i = 0; i < count; i++) Op::add(cells[groups[i]], values[i]);
      return;
    }
    for (int64_t i = 0; i < count; i++) {
      if (input.valid(row + i)) Op::add(cells[groups[i]], values[i]);
    }
  }

  static constexpr CellOps kOps = {
      .cell_bytes = sizeof(Cell),
      .result_bytes = sizeof(typename Kept::Result),
      .clear = Kept::clear,
      .consume = consume,
      .merge = Kept::merge,
      .result = Kept::result,
  };
};

// Modulo 2^64, signed or not.
struct IntegerSum {
  using Kept = IntegerSum;
  using Cell = uint64_t;
  using Result = uint64_t;
  static Cell empty() noexcept { return 0; }
  template <class T>
  static void add(Cell& cell, T value) noexcept {
    cell += static_cast<uint64_t>(value);
  }
  static void join(Cell& cell, const Cell& other) noexcept { cell += other; }
  static Result result(const Cell& cell, int64_t) noexcept { return cell; }
};

// Rounds a 128-bit integer to the nearest double, ties to even.
double wide_to_double(__int128 value) noexcept {
  const bool negative = value < 0;
  const auto magnitude =
      negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  const auto high = static_cast<uint64_t>(magnitude >> 64);
  double result = static_cast<double>(static_cast<uint64_t>(magnitude));
  if (high != 0) {
    // The top 64 significant bits, the last of them sticky: 11 bits more than a double holds, so
    // that rounding once from there is rounding from all 128.
    const int32_t shift = std::countl_zero(high);
    const unsigned __int128 aligned = magnitude << shift;
    auto top = static_cast<uint64_t>(aligned >> 64);
    if (static_cast<uint64_t>(aligned) != 0) top |= 1;
    const auto scale = std::bit_cast<double>(static_cast<uint64_t>(1023 + 64 - shift) << 52);
    result = static_cast<double>(top) * scale;
  }
  return negative ? -result : result;
}

// An exact sum, rounded once, divided once.
struct IntegerMean {
  using Kept = IntegerMean;
  using Cell = __int128;
  using Result = double;
  static Cell empty() noexcept { return 0; }
  template <class T>
  static void add(Cell& cell, T value) noexcept {
    cell += value;
  }
  static void join(Cell& cell, const Cell& other) noexcept { cell += other; }
  static Result result(const Cell& cell, int64_t count) noexcept {
    return wide_to_double(cell) / static_cast<double>(count);
  }
};

// The sum that a mean of the same column keeps anyway.
struct WideSum : IntegerMean {
  using Kept = WideSum;
  using Result = uint64_t;
  static Result result(const Cell& cell, int64_t) noexcept { return static_cast<uint64_t>(cell); }
};

// A sum in Neumaier's form: what each addition rounds away is kept beside it.
struct Compensated {
  double sum;
  double lost;
};

template <bool kMean>
struct FloatSum {
  using Kept = FloatSum;
  using Cell = Compensated;
  using Result = double;
  static Cell empty() noexcept { return {0.0, 0.0}; }
  static void add(Cell& cell, double value) noexcept {
    const double total = cell.sum + value;
    // The larger of the two lost nothing; a select, since the order is as random as the data. A NaN
    // counts as the larger, as it does in the reference.
    const bool keeps = __builtin_fabs(cell.sum) >= __builtin_fabs(value);
    const double larger = keeps ? cell.sum : value;
    const double lesser = keeps ? value : cell.sum;
    cell.lost += (larger - total) + lesser;
    cell.sum = total;
  }
  static void join(Cell& cell, const Cell& other) noexcept {
    add(cell, other.sum);
    cell.lost += other.lost;
  }
  static Result result(const Cell& cell, int64_t count) noexcept {
    if (cell.sum != cell.sum) return canonical_nan<double>();
    const bool infinite = __builtin_fabs(cell.sum) == std::numeric_limits<double>::infinity();
    const double sum = infinite ? cell.sum : cell.sum + cell.lost;
    return kMean ? sum / static_cast<double>(count) : sum;
  }
};

// Of equal values (0.0 and -0.0) the first stays; NaN gives way to any number.
template <class T, bool kLargest>
struct Extreme {
  using Kept = Extreme;
  using Cell = T;
  using Result = T;
  static Cell empty() noexcept {
    if constexpr (kIsFloat<T>) return canonical_nan<T>();
    return kLargest ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
  static void add(Cell& cell, T value) noexcept {
    bool better = kLargest ? value > cell : value < cell;
    if constexpr (kIsFloat<T>) better |= cell != cell;
    // Rare once a group has seen some rows; a store for each row would hold up the loads behind it.
    if (__builtin_expect(better, 0)) cell = value;
  }
  // An empty cell loses against anything.
  static void join(Cell& cell, const Cell& other) noexcept { add(cell, other); }
  static Result result(const Cell& cell, int64_t) noexcept {
    if constexpr (kIsFloat<T>) return cell == cell ? cell : canonical_nan<T>();
    return cell;
  }
};

// Counts true rows of a bool column.
struct CountIf {
  static void clear(void* memory, int64_t begin, int64_t end) {
    auto* cells = static_cast<int64_t*>(memory);
    for (int64_t i = begin; i < end; i++) cells[i] = 0;
  }
  static void consume(void* memory, const AggregateInput& input, int64_t row, const int32_t* groups,
                      int64_t count, bool) {
    auto* cells = static_cast<int64_t*>(memory);
    const ColumnView& view = input.view();
    for (int64_t i = 0; i < count; i += kWordRows) {
      uint64_t word = word_at(view.bits(), view.offset + row, i, count);
      if (!input.all_valid()) word &= input.valid_word(row, i, count);
      for (; word != 0; word &= word - 1) cells[groups[i + std::countr_zero(word)]]++;
    }
  }
  static void merge(void* memory, const void* others, const int32_t* to, int64_t begin,
                    int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      static_cast<int64_t*>(memory)[to[i]] += static_cast<const int64_t*>(others)[i];
    }
  }
  static void result(const void* memory, const int64_t*, int64_t begin, int64_t end, void* out) {
    memcpy(static_cast<int64_t*>(out) + begin, static_cast<const int64_t*>(memory) + begin,
           static_cast<size_t>(end - begin) * sizeof(int64_t));
  }
  static constexpr CellOps kOps = {
      .cell_bytes = sizeof(int64_t),
      .result_bytes = sizeof(int64_t),
      .clear = clear,
      .consume = consume,
      .merge = merge,
      .result = result,
  };
};

template <class T>
const CellOps* number_ops(AggregateFunction function) noexcept {
  switch (function) {
    case AggregateFunction::kSum:
      if constexpr (kIsFloat<T>) {
        return &Cells<FloatSum<false>, T>::kOps;
      } else {
        return &Cells<IntegerSum, T>::kOps;
      }
    case AggregateFunction::kMean:
      if constexpr (kIsFloat<T>) {
        return &Cells<FloatSum<true>, T>::kOps;
      } else {
        return &Cells<IntegerMean, T>::kOps;
      }
    case AggregateFunction::kMin: return &Cells<Extreme<T, false>, T>::kOps;
    case AggregateFunction::kMax: return &Cells<Extreme<T, true>, T>::kOps;
    default: return nullptr;
  }
}

}  // namespace

const CellOps kWideSumOps = Cells<WideSum, int64_t>::kOps;

const CellOps* cell_ops(AggregateFunction function, TypeId type) noexcept {
  if (function == AggregateFunction::kCountIf) {
    return type == TypeId::kBool ? &CountIf::kOps : nullptr;
  }
  const bool extreme = function == AggregateFunction::kMin || function == AggregateFunction::kMax;
  switch (type) {
    case TypeId::kInt8: return number_ops<int8_t>(function);
    case TypeId::kUInt8: return number_ops<uint8_t>(function);
    case TypeId::kInt16: return number_ops<int16_t>(function);
    case TypeId::kUInt16: return number_ops<uint16_t>(function);
    case TypeId::kInt32: return number_ops<int32_t>(function);
    case TypeId::kUInt32: return number_ops<uint32_t>(function);
    case TypeId::kInt64: return number_ops<int64_t>(function);
    case TypeId::kUInt64: return number_ops<uint64_t>(function);
    case TypeId::kFloat32: return number_ops<float>(function);
    case TypeId::kFloat64: return number_ops<double>(function);
    case TypeId::kDate32: return extreme ? number_ops<int32_t>(function) : nullptr;
    case TypeId::kDate64:
    case TypeId::kTimestamp: return extreme ? number_ops<int64_t>(function) : nullptr;
    default: return nullptr;
  }
}

}  // namespace v0
}  // namespace tombolo
