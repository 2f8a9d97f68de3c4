// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simd/unit.h"

#include <tombolo/library.h>

namespace tombolo {
inline namespace v0 {

struct TouchOps {
  // The wrapping sum of every field of the array and of all below it but pointers, plus the first
  // byte of each non-empty buffer.
  uint64_t (*sum)(const ArrowArray* array);
};

}  // namespace v0
}  // namespace tombolo
