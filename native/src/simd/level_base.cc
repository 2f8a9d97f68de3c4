// SPDX-License-Identifier: Apache-2.0
//
// Every kernel body, compiled for the base level.
#include "simd/level.h"

#define TOMBOLO_LEVEL 0
#define TOMBOLO_LEVEL_NS base
#include "simd/level-inl.h"
#undef TOMBOLO_LEVEL_NS
#undef TOMBOLO_LEVEL
