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
  const F64 half = abs(reduced) * 0.5;
  const F64 more = flip_sign(lost, sign_of(reduced)) * 0.5;
  const Mask steep = half > 45.0;
  const F64 x = select(steep, (90.0 - half) - more, half + more) * kRadiansPerDegree;
  const F64 z = x * x;
  const F64 w = z * z;
  const F64 near = z + w * polynomial(z, w, kSineSquare);
  const F64 other = 1.0 - near;
  return {select(steep, other, near), select(steep, near, other)};
}

struct GreatCircle {
  double radius;

  TOMBOLO_INLINE_MEMBER void operator()(const F64 (&in)[4], F64 (&out)[1]) const {
    const Squares difference = half_squares(in[2], -in[0]);
    const Squares sum = half_squares(in[2], in[0]);
    const Squares turn = half_squares(in[3], -in[1]);
    const F64 h = difference.sine * turn.cosine + sum.cosine * turn.sine;
    const F64 rest = difference.cosine * turn.cosine + sum.sine * turn.sine;
    const Mask far = h > rest;
    const F64 z = select(far, rest, h);
    const F64 s = sqrt(z);
    const F64 angle = s + (s * z) * polynomial(z, z * z, kWideArcsine);
    const F64 length = (2.0 * radius) * angle;
    const F64 distance = select(far, kPi * radius - length, length);
    Mask usable = splat_bits(-1);
    for (const F64& angle_in : in) usable &= abs(angle_in) <= kAngleMax_degrees;
    out[0] = select(usable, distance, nan());
  }
};

static void great_circle(const double* latitude0, const double* longitude0, const double* latitude1,
                         const double* longitude1, int64_t n, double radius, const uint8_t* valid,
                         double* distance) {
  const double* const in[] = {latitude0, longitude0, latitude1, longitude1};
  double* const out[] = {distance};
  for_rows(in, out, n, valid, GreatCircle{radius});
}

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
