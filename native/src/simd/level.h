// SPDX-License-Identifier: Apache-2.0
//
// What a level's unit includes before its region opens: intrinsics, whose headers cost every unit
// that includes them most of a second, and the declarations of every family's operations.
#pragma once

#include "simd/unit.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "arrow/bitmap.h"
#include "geo/coefficients.h"
#include "geo/geo_ops.h"
#include "kernels/arithmetic_ops.h"
#include "kernels/cast_ops.h"
#include "kernels/compare_ops.h"
#include "kernels/hash_ops.h"
#include "kernels/selection_ops.h"
#include "kernels/touch_ops.h"
#include "simd/coefficients.h"
#include "simd/dispatch.h"
