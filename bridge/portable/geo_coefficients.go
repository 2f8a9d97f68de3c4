// SPDX-License-Identifier: Apache-2.0

package portable

// The minimax polynomials and constants of native/src/geo/coefficients.h.

// sin^2(x/2) / x^2 with x in degrees for |x| <= 90; error 2^-53.2 of the function.
const (
	haversine0 = 0x1.3f6a1db141fb9p-14
	haversine1 = -0x1.09b116a83dbe6p-29
	haversine2 = 0x1.619b85bbc10afp-46
	haversine3 = -0x1.f83ab5bf0b6a3p-64
	haversine4 = 0x1.bf623ddb9fd93p-82
	haversine5 = -0x1.0ea4967df5e7bp-100
	haversine6 = 0x1.daa4a0335a584p-120
	haversine7 = -0x1.304e842f36fd0p-139
)

// (asin x / x - 1) / x^2 for x^2 <= 1/2; error 2^-55.8 of the function.
const (
	wideArcsine0  = 0x1.5555555555351p-3
	wideArcsine1  = 0x1.333333337af6bp-4
	wideArcsine2  = 0x1.6db6db3594b37p-5
	wideArcsine3  = 0x1.f1c732cd96539p-6
	wideArcsine4  = 0x1.6e88f779e2c60p-6
	wideArcsine5  = 0x1.1c84671ec80bap-6
	wideArcsine6  = 0x1.c3bd3139e3eadp-7
	wideArcsine7  = 0x1.b5d1af50027b3p-7
	wideArcsine8  = -0x1.f3f73c1a228cap-9
	wideArcsine9  = 0x1.5cd2f324fcadap-4
	wideArcsine10 = -0x1.4a6ad77a99b7ap-2
	wideArcsine11 = 0x1.160e8916774ccp+0
	wideArcsine12 = -0x1.55732a77e5b5bp+1
	wideArcsine13 = 0x1.3c03849649a34p+2
	wideArcsine14 = -0x1.a5571a3a475fep+2
	wideArcsine15 = 0x1.82e394d2fb6b3p+2
	wideArcsine16 = -0x1.b5c795a3691c3p+1
	wideArcsine17 = 0x1.d797233e2e504p-1
)

// (asinh(tan x) / x - 1) / x^2 for |x| <= pi/4; error 2^-60.6 of the function.
const (
	lowMercator0  = 0x1.555555555554cp-3
	lowMercator1  = 0x1.5555555556a97p-5
	lowMercator2  = 0x1.8c98c98b8a074p-7
	lowMercator3  = 0x1.f442d2d2c4c78p-9
	lowMercator4  = 0x1.4bc8ca8808944p-10
	lowMercator5  = 0x1.c72139ec9da22p-12
	lowMercator6  = 0x1.3f9e0ac652e59p-13
	lowMercator7  = 0x1.cb42a364a26d9p-15
	lowMercator8  = 0x1.3ee22d061ed8cp-16
	lowMercator9  = 0x1.2fbabb84ac775p-17
	lowMercator10 = -0x1.49740484f4cf1p-22
	lowMercator11 = 0x1.2431fb02f4792p-18
	lowMercator12 = -0x1.094ac0c34c1c4p-19
	lowMercator13 = 0x1.0926568c9456ap-20
)

// log(tan(x/2) / (x/2)) / x^2 for |x| <= pi/4; error 2^-61.8 of the function.
const (
	highMercator0 = 0x1.5555555555559p-4
	highMercator1 = 0x1.3e93e93e92f9ep-8
	highMercator2 = 0x1.664f48840f7e3p-12
	highMercator3 = 0x1.b85fc95c8e35fp-16
	highMercator4 = 0x1.1e5e4431c9bf7p-19
	highMercator5 = 0x1.831b35db2c681p-23
	highMercator6 = 0x1.0dc0554b48a63p-26
	highMercator7 = 0x1.6df68b69c7d5ep-30
	highMercator8 = 0x1.6e32722050135p-33
)

// (atan(sinh x) / x - 1) / x^2 for |x| <= 0.8814; error 2^-61.4 of the function.
const (
	gudermannian0  = -0x1.5555555555551p-3
	gudermannian1  = 0x1.5555555554d60p-5
	gudermannian2  = -0x1.8c98c98c46bc5p-7
	gudermannian3  = 0x1.f442d24b41c28p-9
	gudermannian4  = -0x1.4bc8d4d8be65fp-10
	gudermannian5  = 0x1.c71eeb35a55fap-12
	gudermannian6  = -0x1.3fb4d1378977dp-13
	gudermannian7  = 0x1.c91c788af9c00p-15
	gudermannian8  = -0x1.4a6ab557d1c56p-16
	gudermannian9  = 0x1.dc0168c2298b4p-18
	gudermannian10 = -0x1.482b998105fb4p-19
	gudermannian11 = 0x1.8bbaf73c1db73p-21
	gudermannian12 = -0x1.6151f328a8ed9p-23
	gudermannian13 = 0x1.4c347d093565bp-26
)

const (
	radiansPerDegree = 0x1.1df46a2529d39p-6
	degreesPerRadian = 0x1.ca5dc1a63c1f8p+5
	turnsPerDegree   = 0x1.6c16c16c16c17p-9
	// Angles are reduced exactly up to here; beyond, a distance is NaN.
	angleMaxDegrees = 0x1p31

	// EPSG:3857: a sphere of this radius, the semi-major axis of WGS 84.
	mercatorRadiusMetres  = 6378137.0
	mercatorRadiusInverse = 0x1.50b1cac0206bap-23
	degreesPerMetre       = 0x1.2d6cb2018701ep-17 // 180 / (radius * pi)
	mercatorOf45Degrees   = 0x1.c34366179d427p-1  // asinh 1

	pi = 0x1.921fb54442d18p+1
)
