// SPDX-License-Identifier: Apache-2.0
//
// What a level's unit includes before its region opens: the declarations of every family's
// operations.
#pragma once

#include "simd/unit.h"

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
