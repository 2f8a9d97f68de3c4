// SPDX-License-Identifier: Apache-2.0
//
// Elementary functions over the lanes of vec-inl.h, for every double, within 2 ulp: sin cos tan,
// asin atan atan2, log exp. No libm and no fused multiply-add: each lane depends on its own
// argument alone, by the same operations at every level and in bridge/portable/vecmath, so the bits
// agree. Every NaN result is 0x7FF8000000000000.
#include "simd/arc-inl.h"
#include "simd/exponential-inl.h"
#include "simd/sine-inl.h"
