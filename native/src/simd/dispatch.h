// SPDX-License-Identifier: Apache-2.0
//
// The one dispatch table: for each level, the operations of every kernel family. A kernel takes its
// level's row at bind, by the context's simd_level, and calls through it from then on.
#pragma once

#include "simd/unit.h"

#include <tombolo/library.h>

namespace tombolo {
inline namespace v0 {

struct ArithmeticOps;
struct CastOps;
struct CompareOps;
struct GeoOps;
struct HashOps;
struct SelectionOps;
struct TouchOps;

struct Dispatch {
  const ArithmeticOps* arithmetic;
  const CastOps* cast;
  const CompareOps* compare;
  const GeoOps* geo;
  const HashOps* hash;
  const SelectionOps* selection;
  const TouchOps* touch;
};

// The highest level that this build and this machine both have.
int32_t simd_level_max() noexcept;

// The row of the table for a level; a level above the maximum gets the maximum, one below zero the
// base.
const Dispatch& dispatch(int32_t simd_level) noexcept;

namespace base {
extern const Dispatch kDispatch;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Dispatch kDispatch;
}
namespace avx512 {
extern const Dispatch kDispatch;
}
#endif

}  // namespace v0
}  // namespace tombolo
