// SPDX-License-Identifier: Apache-2.0
//
// Operations of the comparison kernels, one set for each level.
#pragma once

#include "kernels/number_slot.h"
#include "simd/unit.h"

namespace tombolo {
inline namespace v0 {

// The three comparisons that the six kernels come down to.
enum Comparison : int32_t { kEqual = 0, kLess = 1, kLessEqual = 2 };

// Text by offsets; a step of 0 makes row 0 stand for every row. Nothing is read from end on.
template <class O>
struct TextSide {
  const O* offsets;
  const uint8_t* data;
  const uint8_t* end;
  int64_t step;
};

struct CompareOps {
  // Answers for rows rows as whole words; the bits past the last row are anything. A side whose
  // step is 0 has 64 values, the same for each word; else the step is 64. By comparison, then by
  // number_slot.
  void (*numbers[3][kNumberSlots])(const void* left, int64_t left_step, const void* right,
                                   int64_t right_step, int64_t rows, uint64_t* out);

  // Whether texts are the same bytes.
  void (*equal_text32)(const TextSide<int32_t>* left, const TextSide<int32_t>* right, int64_t rows,
                       uint64_t* out);
  void (*equal_text64)(const TextSide<int64_t>* left, const TextSide<int64_t>* right, int64_t rows,
                       uint64_t* out);
};

namespace avx2 {
extern const CompareOps kCompareOps;
}

}  // namespace v0
}  // namespace tombolo
