// SPDX-License-Identifier: Apache-2.0
//
// Operations of the geo kernels, one set for each level.
#pragma once

#include "simd/unit.h"

namespace tombolo {
inline namespace v0 {

// Inputs hold n values each and may have any alignment; what they hold under a null does not
// matter. valid has a bit for each row, bit 0 of valid[0] first, or is NULL when every row is
// valid. Outputs have room for n values; a row that is not valid gets zero. No pointer may overlap
// an output.
struct GeoOps {
  void (*great_circle)(const double* latitude0, const double* longitude0, const double* latitude1,
                       const double* longitude1, int64_t n, double radius, const uint8_t* valid,
                       double* distance);
  void (*mercator_forward)(const double* longitude, const double* latitude, int64_t n,
                           const uint8_t* valid, double* x, double* y);
  void (*mercator_inverse)(const double* x, const double* y, int64_t n, const uint8_t* valid,
                           double* longitude, double* latitude);
  // out_valid has room for whole words of 64 rows; bits past n are cleared. Returns how many rows
  // are valid in the result.
  int64_t (*grid_cell)(const double* x, const double* y, int64_t n, double size,
                       const uint8_t* valid, int64_t* cell, uint8_t* out_valid);
};

}  // namespace v0
}  // namespace tombolo
