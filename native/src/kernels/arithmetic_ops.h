// SPDX-License-Identifier: Apache-2.0
//
// Operations of the arithmetic kernels, one set for each level.
#pragma once

#include "kernels/number_slot.h"
#include "simd/unit.h"

namespace tombolo {
inline namespace v0 {

// Computes rows rows; says whether one that is valid failed, and out is then unfinished. Rows under
// a null hold anything afterwards. With a right_step of 0 right has 64 values, the same for each
// word; else the step is 64. A null valid says that every row is valid. One-sided operations do not
// look at right.
using ArithmeticLoop = bool (*)(const void* left, const void* right, int64_t right_step,
                                const uint64_t* valid, int64_t rows, void* out);

// By number_slot. Integer division is not among them: it has no vector form. Unsigned types have no
// abs.
struct ArithmeticOps {
  ArithmeticLoop add[2][kNumberSlots];       // unchecked, checked
  ArithmeticLoop subtract[2][kNumberSlots];  // unchecked, checked
  ArithmeticLoop divide[kNumberSlots];       // floats
  ArithmeticLoop abs[2][kNumberSlots];       // unchecked, checked
};

namespace avx2 {
extern const ArithmeticOps kArithmeticOps;
}

}  // namespace v0
}  // namespace tombolo
