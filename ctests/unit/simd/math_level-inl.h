// SPDX-License-Identifier: Apache-2.0
//
// The elementary functions of TOMBOLO_LEVEL over arrays whose length is a whole number of vectors.
#include "simd/region_begin.h"

// The order counts.
// clang-format off
#include "simd/vec-inl.h"
#include "simd/math-inl.h"
// clang-format on

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

#define TOMBOLO_TEST_FUNCTION(name, call)                                             \
  static void name##_rows(const double* a, const double* b, int64_t n, double* out) { \
    for (int64_t i = 0; i < n; i += kLanes) {                                         \
      const F64 x = load(a + i);                                                      \
      [[maybe_unused]] const F64 y = load(b + i);                                     \
      store(out + i, call);                                                           \
    }                                                                                 \
  }
TOMBOLO_TEST_FUNCTION(sin, sin(x))
TOMBOLO_TEST_FUNCTION(cos, cos(x))
TOMBOLO_TEST_FUNCTION(tan, tan(x))
TOMBOLO_TEST_FUNCTION(asin, asin(x))
TOMBOLO_TEST_FUNCTION(atan, atan(x))
TOMBOLO_TEST_FUNCTION(atan2, atan2(x, y))
TOMBOLO_TEST_FUNCTION(log, log(x))
TOMBOLO_TEST_FUNCTION(exp, exp(x))
#undef TOMBOLO_TEST_FUNCTION

static const MathFunction kMathFunctions[] = {
    {"sin", sin_rows},   {"cos", cos_rows},     {"tan", tan_rows}, {"asin", asin_rows},
    {"atan", atan_rows}, {"atan2", atan2_rows}, {"log", log_rows}, {"exp", exp_rows},
};

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo

#include "simd/region_end.h"
