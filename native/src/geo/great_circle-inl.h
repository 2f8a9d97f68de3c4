// SPDX-License-Identifier: Apache-2.0
//
// Great-circle distance. Twin: bridge/portable/geo.go.
//
// The haversine h = sin^2(dp/2) + cos p0 cos p1 sin^2(dl/2) loses all accuracy near antipodes,
// where 1 - h is small. With s the sum of the latitudes the product of cosines is cos^2(dp/2) -
// sin^2(s/2), which gives two sums of squares alone:
//
//   h     = sin^2(dp/2) cos^2(dl/2) + cos^2(s/2) sin^2(dl/2)
//   1 - h = cos^2(dp/2) cos^2(dl/2) + sin^2(s/2) sin^2(dl/2)
//
// Nothing cancels in either, and the distance is taken from the smaller: exactly zero for equal
// points, the same in both directions, across the date line and the poles. Angles are added with
// what rounding loses, and reduced while they are degrees, where it is exact: the digits of the
// distance are those of the arguments, however near the points.

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

// sin^2 and cos^2 of half of a + b.
struct Squares {
  F64 sine;
  F64 cosine;
};

TOMBOLO_INLINE Squares half_squares(F64 a, F64 b) {
  F64 lost;
  const F64 degrees = two_sum(a, b, &lost);
  const F64 turns = nearest(degrees * kTurnsPerDegree);
  const F64 reduced = degrees - turns * 360.0;
  const F64 size = abs(reduced);
  const Mask steep = size > 90.0;
  const F64 x =
      select(steep, 180.0 - size, size) + flip_sign(lost, (bits(reduced) ^ steep) & kSignBit);
  const F64 z = x * x;
  const F64 near = z * polynomial(z, z * z, kHaversine);
  const F64 other = 1.0 - near;
  return {select(steep, other, near), select(steep, near, other)};
}

// The smaller of h and 1 - h, with a minus sign when it is the latter; NaN for angles out of range.
struct SmallerSide {
  TOMBOLO_INLINE_MEMBER void operator()(const F64 (&in)[4], F64 (&out)[1]) const {
    const Squares difference = half_squares(in[2], -in[0]);
    const Squares sum = half_squares(in[2], in[0]);
    const Squares turn = half_squares(in[3], -in[1]);
    const F64 h = difference.sine * turn.cosine + sum.cosine * turn.sine;
    const F64 rest = difference.cosine * turn.cosine + sum.sine * turn.sine;
    const F64 side = select(h > rest, -rest, h);
    const Mask usable = (abs(in[0]) <= kAngleMax_degrees) & (abs(in[1]) <= kAngleMax_degrees) &
                        (abs(in[2]) <= kAngleMax_degrees) & (abs(in[3]) <= kAngleMax_degrees);
    out[0] = select(usable, side, nan());
  }
};

struct ArcLength {
  double radius;

  TOMBOLO_INLINE_MEMBER void operator()(const F64 (&in)[1], F64 (&out)[1]) const {
    const F64 z = abs(in[0]);
    const Mask far = mask_of_high_bit(bits(in[0]));
    const F64 s = sqrt(z);
    const F64 angle = s + (s * z) * polynomial(z, z * z, kWideArcsine);
    const F64 length = (2.0 * radius) * angle;
    const F64 distance = select(far, kPi * radius - length, length);
    out[0] = select(z == z, distance, nan());
  }
};

// In two passes over pieces that stay in the first-level cache: each has half the latency, so more
// of it overlaps.
static void great_circle(const double* latitude0, const double* longitude0, const double* latitude1,
                         const double* longitude1, int64_t n, double radius, const uint8_t* valid,
                         double* distance) {
  constexpr int64_t kPiece = 512;
  double sides[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t rows = n - i < kPiece ? n - i : kPiece;
    const double* const in[] = {latitude0 + i, longitude0 + i, latitude1 + i, longitude1 + i};
    double* const out[] = {sides};
    for_rows(in, out, rows, nullptr, SmallerSide{});
    const double* const side[] = {sides};
    double* const result[] = {distance + i};
    for_rows(side, result, rows, valid == nullptr ? nullptr : valid + i / 8, ArcLength{radius});
  }
}

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
