// SPDX-License-Identifier: Apache-2.0
//
// Every kernel body, compiled for the avx2 level.
#include "simd/level.h"

#if defined(__x86_64__)
#define TOMBOLO_LEVEL 1
#define TOMBOLO_LEVEL_NS avx2
#include "simd/level-inl.h"
#undef TOMBOLO_LEVEL_NS
#undef TOMBOLO_LEVEL
#endif
