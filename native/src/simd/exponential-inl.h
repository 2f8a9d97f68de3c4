// SPDX-License-Identifier: Apache-2.0
//
// log and exp. Twin: bridge/portable/vecmath/exponential.go.

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

// log of a positive normal number, plus count times log 2.
TOMBOLO_INLINE F64 log_normal(F64 x, F64 count) {
  // x = m 2^k with m in [sqrt 1/2, sqrt 2): the exponent of x / sqrt(1/2).
  constexpr uint64_t kOne = 0x3FF0000000000000;
  constexpr uint64_t kRootHalf = 0x3FE6A09E667F3BCD;
  const U64 exponent = ((U64)x + (kOne - kRootHalf)) >> 52;
  const F64 f = (F64)((U64)x - ((exponent - 1023) << 52)) - 1.0;
  // A small integer as a double: its bits below those of 2^52.
  const F64 k = ((F64)(exponent | (U64)splat(0x1p52)) - (0x1p52 + 1023)) + count;

  const F64 s = f / (2.0 + f);
  const F64 z = s * s;
  const F64 p = z * polynomial(z, z * z, kLogarithm);
  const F64 half_square = (f * f) * 0.5;
  return k * kLog2 - ((half_square - (s * (half_square + p) + k * kLog2Rest)) - f);
}

TOMBOLO_INLINE F64 log(F64 x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Mask tiny = x < 0x1p-1022;
  const F64 result = log_normal(select(tiny, x * 0x1p54, x), select(tiny, splat(-54.0), F64{}));
  const F64 at_edge = select(x == 0.0, splat(-kInfinity), select(x == kInfinity, x, nan()));
  return select((x > 0.0) & (x < kInfinity), result, at_edge);
}

// 2 to an integer power between -1022 and 1023.
TOMBOLO_INLINE F64 power_of_two(F64 k) { return from_bits(bits(k + (kToInteger + 1023)) << 52); }

// e to the power x - k log 2, near 1, for the nearest integer k.
TOMBOLO_INLINE F64 exp_reduced(F64 x, F64* k) {
  *k = nearest(x * kLog2E);
  const F64 main = x - *k * kLog2;
  const F64 less = *k * kLog2Rest;
  const F64 r = main - less;
  const F64 rest = (main - r) - less;
  const F64 p = (r * r) * polynomial(r, r * r, kExponential);
  return 1.0 + (r + (p + rest));
}

// e to the power x for |x| <= 700.
TOMBOLO_INLINE F64 exp_bounded(F64 x) {
  F64 k;
  const F64 result = exp_reduced(x, &k);
  return result * power_of_two(k);
}

TOMBOLO_INLINE F64 exp(F64 x) {
  // Beyond these the result is infinite or zero anyway.
  F64 bounded = select(x > 710.0, splat(710.0), x);
  bounded = select(bounded < -746.0, splat(-746.0), bounded);
  F64 k;
  const F64 result = exp_reduced(bounded, &k);
  // In two steps, since 2^k alone may be out of range; only the last one rounds.
  const F64 half = nearest(k * 0.5);
  return select(x == x, (result * power_of_two(half)) * power_of_two(k - half), nan());
}

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
