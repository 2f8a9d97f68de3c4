// SPDX-License-Identifier: Apache-2.0
//
// sin, cos and tan. Twin: bridge/portable/vecmath/sine.go, the same operations in the same order.

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

// An angle less a multiple of pi/2: value + rest within pi/4 of zero, and the multiple modulo 4 in
// the low bits of quadrant.
struct Reduced {
  F64 value;
  F64 rest;
  I64 quadrant;
};

// The sum of a and b, rounded, and what rounding lost, exactly (Knuth's TwoSum).
TOMBOLO_INLINE F64 two_sum(F64 a, F64 b, F64* lost) {
  const F64 sum = a + b;
  const F64 b_part = sum - a;
  *lost = (a - (sum - b_part)) + (b - b_part);
  return sum;
}

__extension__ typedef unsigned __int128 Wide;

// Reduces one finite |x| > 2^20 by Payne and Hanek's method: of the product of the mantissa with
// the bits of 2/pi only those that matter modulo 4 are formed, 190 of them behind the point.
static inline void reduce_huge(double x, double* value, double* rest, int64_t* quadrant) {
  const auto x_bits = std::bit_cast<uint64_t>(x);
  const auto mantissa = (x_bits & 0x000FFFFFFFFFFFFF) | 0x0010000000000000;
  // The bit of 2/pi with the place value 2 in the product; -33 at least, zeros before the first.
  const auto first = static_cast<int64_t>(x_bits >> 52 & 0x7FF) - 1075 - 2;

  uint64_t window[3];
  for (int64_t i = 0; i < 3; i++) {
    const int64_t at = first + 64 * i;
    const int64_t word = at >> 6;
    const int shift = static_cast<int>(at & 63);
    const uint64_t high = word < 0 ? 0 : kTwoOverPiBits[word];
    const uint64_t low = kTwoOverPiBits[word + 1];
    window[i] = shift == 0 ? high : high << shift | low >> (64 - shift);
  }
  const auto low = static_cast<Wide>(mantissa) * window[2];
  const auto middle = static_cast<Wide>(mantissa) * window[1] + (low >> 64);
  uint64_t p2 = mantissa * window[0] + static_cast<uint64_t>(middle >> 64);
  uint64_t p1 = static_cast<uint64_t>(middle);
  uint64_t p0 = static_cast<uint64_t>(low);

  // Two bits before the point. Round to the nearest multiple; the fraction takes the sign that is
  // left.
  const uint64_t count = (p2 + (uint64_t{1} << 61)) >> 62;
  p2 <<= 2;
  p2 |= p1 >> 62;
  p1 = p1 << 2 | p0 >> 62;
  p0 <<= 2;
  const bool negative = p2 >> 63 != 0;
  if (negative) {
    p0 = ~p0 + 1;
    p1 = ~p1 + (p0 == 0);
    p2 = ~p2 + (p0 == 0 && p1 == 0);
  }
  // The top 64 bits of the fraction, leading zeros off. No double comes nearer than 2^-62 to a
  // multiple, so that p2 and p1 hold them.
  const int zeros = p2 != 0 ? std::countl_zero(p2) : 64;
  const uint64_t top = zeros == 64 ? p1 : zeros == 0 ? p2 : p2 << zeros | p1 >> (64 - zeros);
  const auto angle = static_cast<uint64_t>((static_cast<Wide>(top) * kHalfPiBits) >> 64);
  const auto scale = std::bit_cast<double>(static_cast<uint64_t>(1023 - 63 - zeros) << 52);
  const double high_part = static_cast<double>(static_cast<int64_t>(angle >> 11)) * 2048.0 * scale;
  const double low_part = static_cast<double>(static_cast<int64_t>(angle & 0x7FF)) * scale;
  const double sum = high_part + low_part;
  const double lost = (high_part - sum) + low_part;

  const bool flip = negative != (x < 0);
  *value = flip ? -sum : sum;
  *rest = flip ? -lost : lost;
  *quadrant = static_cast<int64_t>(x < 0 ? 0 - count : count);
}

// Does so for the lanes of a word's set bits.
[[maybe_unused]] __attribute__((noinline)) static void reduce_lanes(const F64& x, uint64_t lanes,
                                                                    Reduced* r) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int i = std::countr_zero(lanes);
    double value;
    double rest;
    int64_t quadrant;
    reduce_huge(x[i], &value, &rest, &quadrant);
    r->value[i] = value;
    r->rest[i] = rest;
    r->quadrant[i] = quadrant;
  }
}

TOMBOLO_INLINE Reduced reduce(F64 x) {
  const F64 shifted = x * kTwoOverPi + kToInteger;
  const F64 n = shifted - kToInteger;
  F64 lost1;
  F64 lost2;
  const F64 first = x - n * kHalfPiParts[0];
  const F64 second = two_sum(first, -(n * kHalfPiParts[1]), &lost1);
  const F64 third = two_sum(second, -(n * kHalfPiParts[2]), &lost2);
  const F64 tail = (lost1 + lost2) - n * kHalfPiParts[3];
  Reduced r;
  r.value = third + tail;
  r.rest = (third - r.value) + tail;
  r.quadrant = bits(shifted);

  const F64 size = abs(x);
  const uint64_t huge =
      mask_bits((size > kReduceMax) & (size < std::numeric_limits<double>::infinity()));
  if (huge != 0) [[unlikely]] {
    Reduced exact = r;  // a copy, so that r itself stays in registers
    reduce_lanes(x, huge, &exact);
    r = exact;
  }
  return r;
}

// sin(value + rest) for an angle within pi/4.
TOMBOLO_INLINE F64 sine_near(F64 value, F64 rest) {
  const F64 z = value * value;
  const F64 p = polynomial(z, z * z, kSine);
  return value + ((value * z) * p + (rest - (rest * z) * 0.5));
}

// cos(value + rest) for an angle within pi/4. 1 - z/2 is taken with what its rounding lost.
TOMBOLO_INLINE F64 cosine_near(F64 value, F64 rest) {
  const F64 z = value * value;
  const F64 w = z * z;
  const F64 p = polynomial(z, w, kCosine);
  const F64 half = z * 0.5;
  const F64 main = 1.0 - half;
  return main + (((1.0 - main) - half) + (w * p - value * rest));
}

// sin of the reduced angle, further by turn quarter turns.
TOMBOLO_INLINE F64 sine_of(const Reduced& r, int64_t turn) {
  // Unsigned, since the quadrant of an angle that is not finite is the greatest integer.
  const I64 quadrant = (I64)((U64)r.quadrant + static_cast<uint64_t>(turn));
  const F64 sine = sine_near(r.value, r.rest);
  const F64 cosine = cosine_near(r.value, r.rest);
  return flip_sign(select(mask_of_low_bit(quadrant), cosine, sine), (quadrant & 2) << 62);
}

// A NaN or infinite argument gives the one NaN.
TOMBOLO_INLINE F64 finite_or_nan(F64 x, F64 result) {
  return select(abs(x) < std::numeric_limits<double>::infinity(), result, nan());
}

TOMBOLO_INLINE F64 sin(F64 x) {
  const F64 result = sine_of(reduce(x), 0);
  // sin x = x to the last bit; keeps the sign of zero.
  return finite_or_nan(x, select(abs(x) < 0x1p-27, x, result));
}

TOMBOLO_INLINE F64 cos(F64 x) { return finite_or_nan(x, sine_of(reduce(x), 1)); }

// The upper half of the mantissa, so that products of two such are exact.
TOMBOLO_INLINE F64 upper_half(F64 v) { return from_bits(bits(v) & ~int64_t{0xFFFFFFFF}); }

TOMBOLO_INLINE F64 tan(F64 x) {
  const Reduced r = reduce(x);
  const F64 z = r.value * r.value;
  const F64 cubic = (r.value * z) * polynomial(z, z * z, kTangent);
  const F64 about = r.value + cubic;
  const F64 more = cubic + (r.rest + r.rest * (about * about));
  const F64 tangent = r.value + more;

  // -1 / tangent to more than one rounding: one Newton step on the quotient's upper half.
  const F64 upper = upper_half(tangent);
  const F64 lower = more - (upper - r.value);
  const F64 quotient = -1.0 / tangent;
  const F64 near = upper_half(quotient);
  const F64 cotangent = near + quotient * ((1.0 + near * upper) + near * lower);

  const F64 result = select(mask_of_low_bit(r.quadrant), cotangent, tangent);
  return finite_or_nan(x, select(abs(x) < 0x1p-27, x, result));
}

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
