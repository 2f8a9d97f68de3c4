// SPDX-License-Identifier: Apache-2.0

// Package vecmath holds elementary functions whose results have the same bits as those of the native
// kernels: the twin of native/src/simd/math-inl.h, the same polynomials and the same operations in
// the same order, within 2 ulp for every double.
//
// Each product stands inside float64(...): the conversion keeps the compiler from fusing it with the
// addition around it. No function of package math is called but those that are exact or correctly
// rounded (Sqrt, Float64bits and the like). Every NaN result is [NaN]. All functions are pure and
// safe for concurrent use. The package imports nothing of this module.
package vecmath
