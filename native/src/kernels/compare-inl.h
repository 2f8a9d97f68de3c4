// SPDX-License-Identifier: Apache-2.0

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

#if TOMBOLO_LEVEL == 2
// Masks win a tenth over the loops of the level below: not worth what the level costs a build.
static constexpr const CompareOps& kCompareOps = avx2::kCompareOps;
#else
#if defined(__x86_64__)
inline constexpr size_t kCompareBytes = TOMBOLO_LEVEL == 1 ? 32 : 16;

// All bits of a lane set where the comparison holds.
template <class T, int32_t kOp>
TOMBOLO_INLINE auto compare_lanes(const T* left, const T* right) {
  typedef T V __attribute__((vector_size(kCompareBytes)));
  V a;
  V b;
  __builtin_memcpy(&a, left, sizeof a);
  __builtin_memcpy(&b, right, sizeof b);
  if constexpr (kOp == kEqual) {
    return a == b;
  } else if constexpr (kOp == kLess) {
    return a < b;
  } else {
    return a <= b;
  }
}

template <class T, int32_t kOp>
TOMBOLO_INLINE uint64_t compare_word(const T* left, const T* right) {
  constexpr int kRows = kCompareBytes / sizeof(T);
  uint64_t word = 0;
#if TOMBOLO_LEVEL == 1
  if constexpr (sizeof(T) == 2) {
    for (int i = 0; i < 64; i += 2 * kRows) {
      const auto low = (__m256i)compare_lanes<T, kOp>(left + i, right + i);
      const auto high = (__m256i)compare_lanes<T, kOp>(left + i + kRows, right + i + kRows);
      // Packing goes by halves of the vector; the permutation puts the quarters in order.
      const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xD8);
      word |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(bytes))) << i;
    }
    return word;
  }
  for (int i = 0; i < 64; i += kRows) {
    const auto lanes = (__m256i)compare_lanes<T, kOp>(left + i, right + i);
    int answers = 0;
    if constexpr (sizeof(T) == 8) {
      answers = _mm256_movemask_pd((__m256d)lanes);
    } else if constexpr (sizeof(T) == 4) {
      answers = _mm256_movemask_ps((__m256)lanes);
    } else {
      answers = _mm256_movemask_epi8(lanes);
    }
    word |= static_cast<uint64_t>(static_cast<uint32_t>(answers)) << i;
  }
#else
  if constexpr (sizeof(T) == 2) {
    for (int i = 0; i < 64; i += 2 * kRows) {
      const auto low = (__m128i)compare_lanes<T, kOp>(left + i, right + i);
      const auto high = (__m128i)compare_lanes<T, kOp>(left + i + kRows, right + i + kRows);
      const int answers = _mm_movemask_epi8(_mm_packs_epi16(low, high));
      word |= static_cast<uint64_t>(static_cast<uint32_t>(answers)) << i;
    }
    return word;
  }
  for (int i = 0; i < 64; i += kRows) {
    const auto lanes = (__m128i)compare_lanes<T, kOp>(left + i, right + i);
    int answers = 0;
    if constexpr (sizeof(T) == 8) {
      answers = _mm_movemask_pd((__m128d)lanes);
    } else if constexpr (sizeof(T) == 4) {
      answers = _mm_movemask_ps((__m128)lanes);
    } else {
      answers = _mm_movemask_epi8(lanes);
    }
    word |= static_cast<uint64_t>(static_cast<uint32_t>(answers)) << i;
  }
#endif
  return word;
}
#else
template <class T, int32_t kOp>
TOMBOLO_INLINE uint64_t compare_word(const T* left, const T* right) {
  uint64_t word = 0;
  for (int i = 0; i < 64; i++) {
    const bool answer = kOp == kEqual  ? left[i] == right[i]
                        : kOp == kLess ? left[i] < right[i]
                                       : left[i] <= right[i];
    word |= static_cast<uint64_t>(answer) << i;
  }
  return word;
}
#endif

template <class T, int32_t kOp>
static void compare_numbers(const void* left, int64_t left_step, const void* right,
                            int64_t right_step, int64_t rows, uint64_t* out) {
  const auto* a = static_cast<const T*>(left);
  const auto* b = static_cast<const T*>(right);
  T tail[2][64];
  for (int64_t i = 0; i < rows; i += 64) {
    if (__builtin_expect(rows - i < 64, 0)) {
      const size_t bytes = static_cast<size_t>(rows - i) * sizeof(T);
      __builtin_memset(tail, 0, sizeof tail);
      __builtin_memcpy(tail[0], a, bytes);
      __builtin_memcpy(tail[1], b, bytes);
      a = tail[0];
      b = tail[1];
    }
    *out++ = compare_word<T, kOp>(a, b);
    a += left_step;
    b += right_step;
  }
}

// Whether size bytes are the same.
TOMBOLO_INLINE bool equal_bytes(const uint8_t* a, [[maybe_unused]] const uint8_t* a_end,
                                const uint8_t* b, [[maybe_unused]] const uint8_t* b_end,
                                int64_t size) {
#if TOMBOLO_LEVEL >= 1
  if (__builtin_expect(size <= 32 && a_end - a >= 32 && b_end - b >= 32, 1)) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
    const auto same = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y)));
    return _bzhi_u64(~same, static_cast<uint32_t>(size)) == 0;
  }
#elif defined(__x86_64__)
  if (__builtin_expect(size <= 16 && a_end - a >= 16 && b_end - b >= 16, 1)) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a));
    const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b));
    const auto same = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)));
    return (~same & ((1u << size) - 1)) == 0;
  }
#endif
  return size == 0 || memcmp(a, b, static_cast<size_t>(size)) == 0;
}

template <class O>
static void equal_text(const TextSide<O>* left, const TextSide<O>* right, int64_t rows,
                       uint64_t* out) {
  const TextSide<O> l = *left;
  const TextSide<O> r = *right;
  for (int64_t i = 0; i < rows; i += 64) {
    const int64_t n = rows - i < 64 ? rows - i : 64;
    uint64_t word = 0;
    for (int64_t row = 0; row < n; row++) {
      const O* a = l.offsets + (i + row) * l.step;
      const O* b = r.offsets + (i + row) * r.step;
      const int64_t size = static_cast<int64_t>(a[1]) - a[0];
      // Most texts of another length differ in the vector too: one test, not two branches.
      const bool same_size = size == static_cast<int64_t>(b[1]) - b[0];
      const int64_t compared = same_size ? size : 0;
      const bool same = equal_bytes(l.data + a[0], l.end, r.data + b[0], r.end, compared);
      word |= static_cast<uint64_t>(same_size & same) << row;
    }
    *out++ = word;
  }
}

#define TOMBOLO_COMPARE_ROW(op)                                                                \
  {                                                                                            \
    compare_numbers<int8_t, op>, compare_numbers<uint8_t, op>, compare_numbers<int16_t, op>,   \
        compare_numbers<uint16_t, op>, compare_numbers<int32_t, op>,                           \
        compare_numbers<uint32_t, op>, compare_numbers<int64_t, op>,                           \
        compare_numbers<uint64_t, op>, compare_numbers<float, op>, compare_numbers<double, op> \
  }

constexpr CompareOps kCompareOps = {
    .numbers = {TOMBOLO_COMPARE_ROW(kEqual), TOMBOLO_COMPARE_ROW(kLess),
                TOMBOLO_COMPARE_ROW(kLessEqual)},
    .equal_text32 = equal_text<int32_t>,
    .equal_text64 = equal_text<int64_t>,
};
#undef TOMBOLO_COMPARE_ROW
#endif

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
