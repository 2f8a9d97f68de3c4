// SPDX-License-Identifier: Apache-2.0
//
// Constants of the geo kernels, the same at every level and in bridge/portable. The polynomials are
// our own minimax fits, made as those of simd/coefficients.h.
#pragma once

#include "simd/unit.h"

namespace tombolo {
inline namespace v0 {

// sin^2(x/2) / x^2 with x in degrees for |x| <= 90; error 2^-53.2 of the function.
inline constexpr double kHaversine[] = {
    0x1.3f6a1db141fb9p-14, -0x1.09b116a83dbe6p-29,  0x1.619b85bbc10afp-46,  -0x1.f83ab5bf0b6a3p-64,
    0x1.bf623ddb9fd93p-82, -0x1.0ea4967df5e7bp-100, 0x1.daa4a0335a584p-120, -0x1.304e842f36fd0p-139,
};

// (asin x / x - 1) / x^2 for x^2 <= 1/2; error 2^-55.8 of the function.
inline constexpr double kWideArcsine[] = {
    0x1.5555555555351p-3,  0x1.333333337af6bp-4, 0x1.6db6db3594b37p-5,  0x1.f1c732cd96539p-6,
    0x1.6e88f779e2c60p-6,  0x1.1c84671ec80bap-6, 0x1.c3bd3139e3eadp-7,  0x1.b5d1af50027b3p-7,
    -0x1.f3f73c1a228cap-9, 0x1.5cd2f324fcadap-4, -0x1.4a6ad77a99b7ap-2, 0x1.160e8916774ccp+0,
    -0x1.55732a77e5b5bp+1, 0x1.3c03849649a34p+2, -0x1.a5571a3a475fep+2, 0x1.82e394d2fb6b3p+2,
    -0x1.b5c795a3691c3p+1, 0x1.d797233e2e504p-1,
};

// (asinh(tan x) / x - 1) / x^2 for |x| <= pi/4; error 2^-60.6 of the function.
inline constexpr double kLowMercator[] = {
    0x1.555555555554cp-3,   0x1.5555555556a97p-5,  0x1.8c98c98b8a074p-7,   0x1.f442d2d2c4c78p-9,
    0x1.4bc8ca8808944p-10,  0x1.c72139ec9da22p-12, 0x1.3f9e0ac652e59p-13,  0x1.cb42a364a26d9p-15,
    0x1.3ee22d061ed8cp-16,  0x1.2fbabb84ac775p-17, -0x1.49740484f4cf1p-22, 0x1.2431fb02f4792p-18,
    -0x1.094ac0c34c1c4p-19, 0x1.0926568c9456ap-20,
};

// log(tan(x/2) / (x/2)) / x^2 for |x| <= pi/4; error 2^-61.8 of the function.
inline constexpr double kHighMercator[] = {
    0x1.5555555555559p-4,  0x1.3e93e93e92f9ep-8,  0x1.664f48840f7e3p-12,
    0x1.b85fc95c8e35fp-16, 0x1.1e5e4431c9bf7p-19, 0x1.831b35db2c681p-23,
    0x1.0dc0554b48a63p-26, 0x1.6df68b69c7d5ep-30, 0x1.6e32722050135p-33,
};

// (atan(sinh x) / x - 1) / x^2 for |x| <= 0.8814; error 2^-61.4 of the function.
inline constexpr double kGudermannian[] = {
    -0x1.5555555555551p-3,  0x1.5555555554d60p-5,  -0x1.8c98c98c46bc5p-7,  0x1.f442d24b41c28p-9,
    -0x1.4bc8d4d8be65fp-10, 0x1.c71eeb35a55fap-12, -0x1.3fb4d1378977dp-13, 0x1.c91c788af9c00p-15,
    -0x1.4a6ab557d1c56p-16, 0x1.dc0168c2298b4p-18, -0x1.482b998105fb4p-19, 0x1.8bbaf73c1db73p-21,
    -0x1.6151f328a8ed9p-23, 0x1.4c347d093565bp-26,
};

inline constexpr double kRadiansPerDegree = 0x1.1df46a2529d39p-6;
inline constexpr double kDegreesPerRadian = 0x1.ca5dc1a63c1f8p+5;
inline constexpr double kTurnsPerDegree = 0x1.6c16c16c16c17p-9;
// Angles are reduced exactly up to here; beyond, a distance is NaN.
inline constexpr double kAngleMax_degrees = 0x1p31;

// EPSG:3857: a sphere of this radius, the semi-major axis of WGS 84.
inline constexpr double kMercatorRadius_m = 6378137.0;
inline constexpr double kMercatorRadiusInverse = 0x1.50b1cac0206bap-23;
inline constexpr double kDegreesPerMetre = 0x1.2d6cb2018701ep-17;     // 180 / (radius * pi)
inline constexpr double kMercatorOf45Degrees = 0x1.c34366179d427p-1;  // asinh 1

}  // namespace v0
}  // namespace tombolo
