// SPDX-License-Identifier: Apache-2.0

package vecmath

// The minimax polynomials and split constants of native/src/simd/coefficients.h.

// (sin x / x - 1) / x^2 for |x| <= pi/4; error 2^-57.9 of the function.
const (
	sine0 = -0x1.5555555555548p-3
	sine1 = 0x1.111111110f730p-7
	sine2 = -0x1.a01a019be9216p-13
	sine3 = 0x1.71de35552aaf6p-19
	sine4 = -0x1.ae5e4b82a3d27p-26
	sine5 = 0x1.5d8b54f38b300p-33
)

// (cos x - 1 + x^2/2) / x^4 for |x| <= pi/4; error 2^-63.9 of the function.
const (
	cosine0 = 0x1.555555555554bp-5
	cosine1 = -0x1.6c16c16c15011p-10
	cosine2 = 0x1.a01a019c8e7bbp-16
	cosine3 = -0x1.27e4f7f0f0f05p-22
	cosine4 = 0x1.1ee9db4d833f9p-29
	cosine5 = -0x1.8fa638b25058ep-37
)

// (tan x / x - 1) / x^2 for |x| <= pi/4; error 2^-59.7 of the function.
const (
	tangent0  = 0x1.555555555555ep-2
	tangent1  = 0x1.11111111105d2p-3
	tangent2  = 0x1.ba1ba1babf34fp-5
	tangent3  = 0x1.664f485d24998p-6
	tangent4  = 0x1.226e3a8186a98p-7
	tangent5  = 0x1.d6d2e7a985f4bp-9
	tangent6  = 0x1.7db18f36a1fe9p-10
	tangent7  = 0x1.34bc18922ec76p-11
	tangent8  = 0x1.ff2ea1e70bf24p-13
	tangent9  = 0x1.5e787b75767a4p-14
	tangent10 = 0x1.19f62cff8a473p-14
	tangent11 = -0x1.ae2ef24fb6b1ap-16
	tangent12 = 0x1.980fb4551a321p-15
	tangent13 = -0x1.97584e2548ac1p-16
	tangent14 = 0x1.48daaf8507c13p-17
)

// (asin x / x - 1) / x^2 for |x| <= 1/2; error 2^-59.8 of the function.
const (
	arcsine0  = 0x1.5555555555577p-3
	arcsine1  = 0x1.333333332e10cp-4
	arcsine2  = 0x1.6db6db72152b6p-5
	arcsine3  = 0x1.f1c71a93a1fbbp-6
	arcsine4  = 0x1.6e8bdf0b903c4p-6
	arcsine5  = 0x1.1c49ecf575cc8p-6
	arcsine6  = 0x1.ca1fe69e74f26p-7
	arcsine7  = 0x1.758278ed264e4p-7
	arcsine8  = 0x1.614ed29ad3071p-7
	arcsine9  = 0x1.e4d23842bd150p-9
	arcsine10 = 0x1.63f95c034ce33p-6
	arcsine11 = -0x1.5886b9747f525p-6
	arcsine12 = 0x1.0b735c8b0b38fp-5
)

// (atan x / x - 1) / x^2 for |x| <= 7/16; error 2^-62.2 of the function.
const (
	arctangent0  = -0x1.5555555555552p-2
	arctangent1  = 0x1.9999999999008p-3
	arctangent2  = -0x1.249249244670dp-3
	arctangent3  = 0x1.c71c71a1899adp-4
	arctangent4  = -0x1.745d11d18cde7p-4
	arctangent5  = 0x1.3b132fed31988p-4
	arctangent6  = -0x1.11090c6905650p-4
	arctangent7  = 0x1.e132f0be6648dp-5
	arctangent8  = -0x1.a9fce27b9eefdp-5
	arctangent9  = 0x1.6b226c37e15d7p-5
	arctangent10 = -0x1.056bce726e9f2p-5
	arctangent11 = 0x1.c088c429c61dfp-7
)

// (2 atanh s / s - 2) / s^2, s = f / (2 + f) for |s| <= 0.1716; error 2^-58.5 of the function.
const (
	logarithm0 = 0x1.5555555555593p-1
	logarithm1 = 0x1.999999997f9f7p-2
	logarithm2 = 0x1.249249422a61cp-2
	logarithm3 = 0x1.c71c51d7ab11fp-3
	logarithm4 = 0x1.746649ba4cdf3p-3
	logarithm5 = 0x1.39a0940bdc8f2p-3
	logarithm6 = 0x1.2f119380fe35dp-3
)

// (exp r - 1 - r) / r^2, in r for |r| <= 0.3468; error 2^-63.5 of the function.
const (
	exponential0  = 0x1.0000000000000p-1
	exponential1  = 0x1.555555555555dp-3
	exponential2  = 0x1.555555555556cp-5
	exponential3  = 0x1.111111110e54ap-7
	exponential4  = 0x1.6c16c16c0a404p-10
	exponential5  = 0x1.a01a01b5f4cd9p-13
	exponential6  = 0x1.a01a01e8c1893p-16
	exponential7  = 0x1.71ddeaaaa6e5dp-19
	exponential8  = 0x1.27e44a09a7bd4p-22
	exponential9  = 0x1.af744fd07db01p-26
	exponential10 = 0x1.2051da38aff7ap-29
)

// pi/2 as a sum; the first three have 33 bits each.
const (
	halfPi0 = 0x1.921fb54400000p+0
	halfPi1 = 0x1.0b4611a600000p-34
	halfPi2 = 0x1.3198a2e000000p-69
	halfPi3 = 0x1.b839a252049c1p-104

	twoOverPi = 0x1.45f306dc9c883p-1
	reduceMax = 0x1p20
)

// Angles as a nearest double and what is left; a is atan(1/2).
const (
	pi, piRest                         = 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53
	halfPi, halfPiRest                 = 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54
	quarterPi, quarterPiRest           = 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55
	threeQuarterPi, threeQuarterPiRest = 0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54
	a, aRest                           = 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56
	halfPiLessA, halfPiLessARest       = 0x1.1b6e192ebbe44p+0, 0x1.b1b466a88828ep-54
	halfPiPlusA, halfPiPlusARest       = 0x1.0468a8ace4df6p+1, 0x1.0620bf7406affp-55
	piLessA, piLessARest               = 0x1.56c6e7397f5aep+1, 0x1.660b64ece6f4bp-53
)

// log 2; the first part has 32 bits.
const (
	log2, log2Rest = 0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33
	log2E          = 0x1.71547652b82fep+0
)

// 2/pi in binary, from the bit of weight 1/2 on.
var twoOverPiBits = [...]uint64{
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}

// halfPiBits is pi/2 times 2^63.
const halfPiBits = 0xc90fdaa22168c234
