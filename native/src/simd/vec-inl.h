// SPDX-License-Identifier: Apache-2.0
//
// A small vector layer over the compilers' vector extensions: lanes of double and of 64-bit
// integers, as many as a register of TOMBOLO_LEVEL holds. + - * / and comparisons are the
// language's own; here is what the language lacks. Every operation rounds as IEEE 754 says, so that
// a lane has the same bits at every level and in the portable twin.
//
// Include inside a level, once, before any body that uses it. No include guard.

#define TOMBOLO_INLINE __attribute__((always_inline)) static inline
#define TOMBOLO_INLINE_MEMBER __attribute__((always_inline)) inline

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

inline constexpr int64_t kLanes = TOMBOLO_LEVEL == 2 ? 8 : TOMBOLO_LEVEL == 1 ? 4 : 2;

typedef double F64 __attribute__((vector_size(8 * (TOMBOLO_LEVEL == 2   ? 8
                                                   : TOMBOLO_LEVEL == 1 ? 4
                                                                        : 2))));
typedef int64_t I64 __attribute__((vector_size(sizeof(F64))));
typedef uint64_t U64 __attribute__((vector_size(sizeof(F64))));

// All bits of a lane set or clear: what comparisons give.
using Mask = I64;

TOMBOLO_INLINE F64 load(const double* from) {
  F64 v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}
TOMBOLO_INLINE void store(double* to, F64 v) { __builtin_memcpy(to, &v, sizeof(v)); }
TOMBOLO_INLINE void store(int64_t* to, I64 v) { __builtin_memcpy(to, &v, sizeof(v)); }

TOMBOLO_INLINE F64 splat(double x) { return x - F64{}; }
TOMBOLO_INLINE I64 splat_bits(int64_t x) { return x - I64{}; }

// The bits of a value and back.
TOMBOLO_INLINE I64 bits(F64 v) { return (I64)v; }
TOMBOLO_INLINE F64 from_bits(I64 v) { return (F64)v; }

TOMBOLO_INLINE F64 select(Mask mask, F64 yes, F64 no) { return mask ? yes : no; }
TOMBOLO_INLINE I64 select(Mask mask, I64 yes, I64 no) { return mask ? yes : no; }

inline constexpr int64_t kSignBit = std::numeric_limits<int64_t>::min();

TOMBOLO_INLINE F64 abs(F64 v) { return from_bits(bits(v) & ~kSignBit); }
// The sign bit of each lane, other bits clear.
TOMBOLO_INLINE I64 sign_of(F64 v) { return bits(v) & kSignBit; }
TOMBOLO_INLINE F64 flip_sign(F64 v, I64 sign) { return from_bits(bits(v) ^ sign); }
TOMBOLO_INLINE F64 nan() { return from_bits(splat_bits(0x7FF8000000000000)); }

TOMBOLO_INLINE F64 sqrt(F64 v) {
#if TOMBOLO_LEVEL == 2
  return (F64)_mm512_maskz_sqrt_pd(0xFF, (__m512d)v);
#elif TOMBOLO_LEVEL == 1
  return (F64)_mm256_sqrt_pd((__m256d)v);
#elif defined(__x86_64__)
  return (F64)_mm_sqrt_pd((__m128d)v);
#else
  return (F64)vsqrtq_f64((float64x2_t)v);
#endif
}

// One bit for each lane of a mask, lane 0 lowest.
TOMBOLO_INLINE uint64_t mask_bits(Mask mask) {
#if TOMBOLO_LEVEL == 2
  return _mm512_movepi64_mask((__m512i)mask);
#elif TOMBOLO_LEVEL == 1
  return static_cast<uint64_t>(_mm256_movemask_pd((__m256d)mask));
#elif defined(__x86_64__)
  return static_cast<uint64_t>(_mm_movemask_pd((__m128d)mask));
#else
  const U64 top = (U64)mask >> 63;
  return top[0] | top[1] << 1;
#endif
}
TOMBOLO_INLINE bool any(Mask mask) { return mask_bits(mask) != 0; }

// The mask whose lanes are the low bits of a word, lane 0 lowest.
TOMBOLO_INLINE Mask mask_from_bits(uint64_t word) {
#if TOMBOLO_LEVEL == 2
  return (Mask)_mm512_movm_epi64(static_cast<__mmask8>(word));
#elif TOMBOLO_LEVEL == 1
  const I64 lane = {1, 2, 4, 8};
  return (splat_bits(static_cast<int64_t>(word)) & lane) == lane;
#else
  static constexpr int64_t kMasks[4][2] = {{0, 0}, {-1, 0}, {0, -1}, {-1, -1}};
  Mask mask;
  __builtin_memcpy(&mask, kMasks[word & 3], sizeof(mask));
  return mask;
#endif
}

// The mask of lanes whose highest bit is set. SSE2 has no comparison of 64-bit integers, and the
// compiler's way around it goes lane by lane.
TOMBOLO_INLINE Mask mask_of_high_bit(I64 v) {
#if TOMBOLO_LEVEL == 0
  return (Mask)(U64{} - ((U64)v >> 63));
#else
  return v < 0;
#endif
}
TOMBOLO_INLINE Mask mask_of_low_bit(I64 v) { return mask_of_high_bit((I64)((U64)v << 63)); }

// 1.5 * 2^52: a sum with it holds the nearest integer of the other summand in its low bits, as
// two's complement, when that is below 2^51.
inline constexpr double kToInteger = 0x1.8p52;

// The nearest integer, ties to even, for |v| < 2^51.
TOMBOLO_INLINE F64 nearest(F64 v) { return (v + kToInteger) - kToInteger; }

// The polynomial c[0] + c[1] z + c[2] z^2 + ..., with w = z * z. Pairs of terms are chained by
// Horner's rule in w: half the latency of the plain rule. The portable twin writes the same order.
template <size_t kCount, size_t kFirst = 0>
TOMBOLO_INLINE F64 polynomial(F64 z, F64 w, const double (&c)[kCount]) {
  if constexpr (kFirst + 1 == kCount) {
    return splat(c[kFirst]);
  } else {
    const F64 pair = c[kFirst] + c[kFirst + 1] * z;
    if constexpr (kFirst + 2 == kCount) {
      return pair;
    } else {
      return pair + w * polynomial<kCount, kFirst + 2>(z, w, c);
    }
  }
}

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
