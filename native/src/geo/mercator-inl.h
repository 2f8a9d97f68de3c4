// SPDX-License-Identifier: Apache-2.0
//
// Web Mercator, EPSG:3857, both ways. Twin: bridge/portable/mercator.go.
//
// y / radius = asinh(tan p), an odd function of the latitude p: one polynomial up to 45 degrees.
// Beyond, with c = 90 - p exactly, y / radius = -log(tan(c / 2)): log(c / 2) and a polynomial for
// what tan adds, so that the poles are as exact as the rest. The inverse has the same two parts.

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

struct MercatorForward {
  TOMBOLO_INLINE_MEMBER void operator()(const F64 (&in)[2], F64 (&out)[2]) const {
    const F64 longitude = in[0];
    const F64 latitude = in[1];
    const F64 size = abs(latitude);
    const Mask steep = size > 45.0;
    const F64 u = select(steep, 90.0 - size, size) * kRadiansPerDegree;
    const F64 z = u * u;
    const F64 w = z * z;
    const F64 low = u + (u * z) * polynomial(z, w, kLowMercator);
    const F64 high = -(log_normal(u * 0.5, F64{}) + z * polynomial(z, w, kHighMercator));
    F64 y = select(steep, high, low) * kMercatorRadius_m;
    y = select(size == 90.0, splat(std::numeric_limits<double>::infinity()), y);
    const Mask inside = (size <= 90.0) & (abs(longitude) <= 180.0);
    out[0] = select(inside, (longitude * kMercatorRadius_m) * kRadiansPerDegree, nan());
    out[1] = select(inside, flip_sign(y, sign_of(latitude)), nan());
  }
};

struct MercatorInverse {
  TOMBOLO_INLINE_MEMBER void operator()(const F64 (&in)[2], F64 (&out)[2]) const {
    const F64 x = in[0];
    const F64 y = in[1];
    const F64 size = abs(y) * kMercatorRadiusInverse;
    const F64 z = size * size;
    const F64 low = (size + (size * z) * polynomial(z, z * z, kGudermannian)) * kDegreesPerRadian;
    // Beyond 700 the pole is nearer than any double below 90.
    const F64 t = exp_bounded(-select(size > 700.0, splat(700.0), size));
    const F64 high = 90.0 - (t + arctangent_rest(t)) * (2.0 * kDegreesPerRadian);
    const F64 latitude = select(size > kMercatorOf45Degrees, high, low);
    out[0] = select(x == x, x * kDegreesPerMetre, nan());
    out[1] = select(y == y, flip_sign(latitude, sign_of(y)), nan());
  }
};

static void mercator_forward(const double* longitude, const double* latitude, int64_t n,
                             const uint8_t* valid, double* x, double* y) {
  const double* const in[] = {longitude, latitude};
  double* const out[] = {x, y};
  for_rows(in, out, n, valid, MercatorForward{});
}

static void mercator_inverse(const double* x, const double* y, int64_t n, const uint8_t* valid,
                             double* longitude, double* latitude) {
  const double* const in[] = {x, y};
  double* const out[] = {longitude, latitude};
  for_rows(in, out, n, valid, MercatorInverse{});
}

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
