// SPDX-License-Identifier: Apache-2.0
//
// The bodies of every kernel family for TOMBOLO_LEVEL, and the level's row of the dispatch table.
// Included once by each level's unit; no include guard here or in any *-inl.h.
#include "simd/region_begin.h"

// The order counts: nothing here has an include guard.
// clang-format off
#include "simd/vec-inl.h"
#include "simd/math-inl.h"
// clang-format on

#include "geo/geo-inl.h"
#include "kernels/arithmetic-inl.h"
#include "kernels/compare-inl.h"
#include "kernels/touch-inl.h"

// These leave plain loops to the compiler, and GCC makes good vectors of them at -O3 only. The rest
// would take half as long again to compile and gain nothing.
#if !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3")
#endif
#include "kernels/cast-inl.h"
#include "kernels/hash-inl.h"
#include "kernels/selection-inl.h"
#if !defined(__clang__)
#pragma GCC pop_options
#endif

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

const Dispatch kDispatch = {
    .arithmetic = &kArithmeticOps,
    .cast = &kCastOps,
    .compare = &kCompareOps,
    .geo = &kGeoOps,
    .hash = &kHashOps,
    .selection = &kSelectionOps,
    .touch = &kTouchOps,
};

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo

#include "simd/region_end.h"
