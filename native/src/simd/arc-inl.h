// SPDX-License-Identifier: Apache-2.0
//
// asin, atan and atan2. Twin: bridge/portable/vecmath/arc.go.

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

TOMBOLO_INLINE F64 asin(F64 x) {
  const F64 size = abs(x);
  // asin x = pi/2 - 2 asin(sqrt((1 - x) / 2)) for the upper half.
  const Mask upper = size > 0.5;
  const F64 z = select(upper, (1.0 - size) * 0.5, size * size);
  const F64 s = select(upper, sqrt(z), size);
  const F64 more = (s * z) * polynomial(z, z * z, kArcsine);
  const F64 main = kHalfPi - 2.0 * s;
  const F64 lost = (kHalfPi - main) - 2.0 * s;
  const F64 from_top = main - ((2.0 * more - kHalfPiRest) - lost);
  const F64 result = select(upper, from_top, s + more);
  return select(size <= 1.0, flip_sign(result, sign_of(x)), nan());
}

// atan(t) - t for |t| <= 7/16.
TOMBOLO_INLINE F64 arctangent_rest(F64 t) {
  const F64 z = t * t;
  return (t * z) * polynomial(z, z * z, kArctangent);
}

// One of a table of angles as a double and its rest.
struct Angle {
  F64 value;
  F64 rest;
};
TOMBOLO_INLINE Angle choose(Mask mask, Angle yes, Angle no) {
  return {select(mask, yes.value, no.value), select(mask, yes.rest, no.rest)};
}

// The angle of the point (x, y), in one division. With a <= b the lengths of the legs, the angle of
// the slope a / b is atan c + atan((a - c b) / (b + c a)) for c = 0, 1/2 or 1, whichever is near;
// the subtraction is exact. Then the octant says from which axis, and in which sense, it is
// counted.
TOMBOLO_INLINE F64 atan2(F64 y, F64 x) {
  const F64 x_size = abs(x);
  const F64 y_size = abs(y);
  const Mask steep = y_size > x_size;
  const Mask behind = mask_of_high_bit(bits(x));
  F64 a = select(steep, x_size, y_size);
  F64 b = select(steep, y_size, x_size);
  // Keeps a + b finite and halves exact; equal infinities are taken as ones.
  const F64 scale =
      select(b > 0x1p1000, splat(0x1p-100), select(b < 0x1p-900, splat(0x1p100), splat(1.0)));
  const Mask diagonal = a == std::numeric_limits<double>::infinity();
  a = select(diagonal, splat(1.0), a * scale);
  b = select(diagonal, splat(1.0), b * scale);

  const Mask one = a > b * 0.71875;
  const Mask half = a > b * 0.4375;  // or one
  const F64 top = a - select(one, b, select(half, b * 0.5, F64{}));
  const F64 bottom = b + select(one, a, select(half, a * 0.5, F64{}));
  F64 t = select(bottom == 0.0, F64{}, top / bottom);

  const Angle flat = choose(one, {splat(kQuarterPi), splat(kQuarterPiRest)},
                            choose(half, {splat(kA), splat(kARest)}, {F64{}, F64{}}));
  const Angle high = choose(one, {splat(kQuarterPi), splat(kQuarterPiRest)},
                            choose(half, {splat(kHalfPiLessA), splat(kHalfPiLessARest)},
                                   {splat(kHalfPi), splat(kHalfPiRest)}));
  const Angle flat_behind =
      choose(one, {splat(kThreeQuarterPi), splat(kThreeQuarterPiRest)},
             choose(half, {splat(kPiLessA), splat(kPiLessARest)}, {splat(kPi), splat(kPiRest)}));
  const Angle high_behind = choose(one, {splat(kThreeQuarterPi), splat(kThreeQuarterPiRest)},
                                   choose(half, {splat(kHalfPiPlusA), splat(kHalfPiPlusARest)},
                                          {splat(kHalfPi), splat(kHalfPiRest)}));
  const Angle base =
      choose(behind, choose(steep, high_behind, flat_behind), choose(steep, high, flat));

  t = flip_sign(t, (steep ^ behind) & kSignBit);
  const F64 result = base.value + (t + (base.rest + arctangent_rest(t)));
  return select((x == x) & (y == y), flip_sign(result, sign_of(y)), nan());
}

TOMBOLO_INLINE F64 atan(F64 x) { return atan2(x, splat(1.0)); }

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
