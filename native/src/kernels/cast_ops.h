// SPDX-License-Identifier: Apache-2.0
//
// Operations of the cast kernel, one set for each level.
#pragma once

#include "kernels/number_slot.h"
#include "simd/unit.h"

namespace tombolo {
inline namespace v0 {

// The values of one type that a safe cast lets through: from low to high, high itself being outside
// for floats, which must be whole as well.
template <class T>
struct CastSpan {
  T low;
  T high;
};

struct CastOps {
  // Converts rows rows, by number_slot of source and target: integers wrap, floats truncate to
  // int64 and wrap, and what int64 does not hold gives 0.
  void (*convert[kNumberSlots][kNumberSlots])(const void* in, int64_t rows, void* out);

  // float32 and float64 to uint64, for values known to fit.
  void (*to_uint64[2])(const void* in, int64_t rows, void* out);

  // Says whether a valid row is outside span, a CastSpan of the type, by number_slot.
  bool (*outside[kNumberSlots])(const void* in, const uint64_t* valid, int64_t rows,
                                const void* span);
};

namespace avx2 {
extern const CastOps kCastOps;
}

}  // namespace v0
}  // namespace tombolo
