// SPDX-License-Identifier: Apache-2.0

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

#if TOMBOLO_LEVEL == 2
// Bound by memory: the loops of the level below do as well, and every level costs a build.
static constexpr const CastOps& kCastOps = avx2::kCastOps;
#else

inline constexpr double kTwoTo63 = 0x1p63;

template <class F, class T>
static void convert_numbers(const void* in, int64_t rows, void* out) {
  const auto* from = static_cast<const F*>(in);
  auto* to = static_cast<T*>(out);
  for (int64_t i = 0; i < rows; i++) {
    if constexpr (std::is_floating_point_v<F> && !std::is_floating_point_v<T>) {
      const F v = from[i] >= static_cast<F>(-kTwoTo63) && from[i] < static_cast<F>(kTwoTo63)
                      ? from[i]
                      : F{0};
      to[i] = static_cast<T>(static_cast<int64_t>(v));
    } else {
      to[i] = static_cast<T>(from[i]);
    }
  }
}

template <class F>
static void convert_to_uint64(const void* in, int64_t rows, void* out) {
  const auto* from = static_cast<const F*>(in);
  auto* to = static_cast<uint64_t*>(out);
  constexpr F kHalf = static_cast<F>(kTwoTo63);
  for (int64_t i = 0; i < rows; i++) {
    const F v = from[i];
    const bool upper = v >= kHalf && v < 2 * kHalf;
    const bool lower = v >= 0 && v < kHalf;
    const F low = upper ? v - kHalf : lower ? v : F{0};
    to[i] = static_cast<uint64_t>(static_cast<int64_t>(low)) | static_cast<uint64_t>(upper) << 63;
  }
}

// The loop for a pair of types. Integers that keep or lose width share one for both signs.
template <class F, class T>
struct CastPair {
  static constexpr bool kIntegers = std::is_integral_v<F> && std::is_integral_v<T>;
  static constexpr bool kNarrows = kIntegers && sizeof(T) <= sizeof(F);
  template <class U, bool kInteger>
  struct Unsigned {
    using Type = U;
  };
  template <class U>
  struct Unsigned<U, true> {
    using Type = std::make_unsigned_t<U>;
  };
  using From = typename Unsigned<F, kNarrows>::Type;
  using To = typename Unsigned<T, std::is_integral_v<T>>::Type;
  static constexpr auto kLoop = convert_numbers<From, To>;
};

template <class T>
TOMBOLO_INLINE bool outside_span(T v, CastSpan<T> span) {
  if constexpr (std::is_floating_point_v<T>) {
    // Halves above 2^63 are whole; below, int64 tells.
    const bool small = v >= static_cast<T>(-kTwoTo63) && v < static_cast<T>(kTwoTo63);
    const T low = small ? v : T{0};
    const bool whole = static_cast<T>(static_cast<int64_t>(low)) == low;
    return !((v >= span.low) & (v < span.high) & whole);
  } else {
    return (v < span.low) | (v > span.high);
  }
}

template <class T>
static bool outside_numbers(const void* in, const uint64_t* valid, int64_t rows, const void* span) {
  const auto* from = static_cast<const T*>(in);
  const CastSpan<T> limits = *static_cast<const CastSpan<T>*>(span);
  for (int64_t i = 0; i < rows; i += kWordRows) {
    const int64_t n = rows - i < kWordRows ? rows - i : kWordRows;
    uint8_t any = n < kWordRows;
    for (int64_t row = 0; n == kWordRows && row < kWordRows; row++) {
      any |= static_cast<uint8_t>(outside_span(from[i + row], limits));
    }
    if (__builtin_expect(any == 0, 1)) continue;
    for (int64_t row = 0; row < n; row++) {
      const bool there = valid == nullptr || (valid[i / kWordRows] >> row & 1) != 0;
      if (there && outside_span(from[i + row], limits)) return true;
    }
  }
  return false;
}

#define TOMBOLO_CAST_ROW(F)                                                                      \
  {                                                                                              \
    CastPair<F, int8_t>::kLoop, CastPair<F, uint8_t>::kLoop, CastPair<F, int16_t>::kLoop,        \
        CastPair<F, uint16_t>::kLoop, CastPair<F, int32_t>::kLoop, CastPair<F, uint32_t>::kLoop, \
        CastPair<F, int64_t>::kLoop, CastPair<F, uint64_t>::kLoop, CastPair<F, float>::kLoop,    \
        CastPair<F, double>::kLoop                                                               \
  }

constexpr CastOps kCastOps = {
    .convert = {TOMBOLO_CAST_ROW(int8_t), TOMBOLO_CAST_ROW(uint8_t), TOMBOLO_CAST_ROW(int16_t),
                TOMBOLO_CAST_ROW(uint16_t), TOMBOLO_CAST_ROW(int32_t), TOMBOLO_CAST_ROW(uint32_t),
                TOMBOLO_CAST_ROW(int64_t), TOMBOLO_CAST_ROW(uint64_t), TOMBOLO_CAST_ROW(float),
                TOMBOLO_CAST_ROW(double)},
    .to_uint64 = {convert_to_uint64<float>, convert_to_uint64<double>},
    .outside = {outside_numbers<int8_t>, outside_numbers<uint8_t>, outside_numbers<int16_t>,
                outside_numbers<uint16_t>, outside_numbers<int32_t>, outside_numbers<uint32_t>,
                outside_numbers<int64_t>, outside_numbers<uint64_t>, outside_numbers<float>,
                outside_numbers<double>},
};
#undef TOMBOLO_CAST_ROW
#endif

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
