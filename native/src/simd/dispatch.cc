// SPDX-License-Identifier: Apache-2.0
#include "simd/dispatch.h"

namespace tombolo {
inline namespace v0 {

int32_t simd_level_max() noexcept {
#if defined(__x86_64__)
  // The builtin reads what the operating system saves as well as what the processor has.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512vbmi") &&
                      __builtin_cpu_supports("avx512vbmi2") &&
                      __builtin_cpu_supports("avx512vpopcntdq");
  if (avx512) return TOMBOLO_SIMD_AVX512;
  if (avx2) return TOMBOLO_SIMD_AVX2;
#endif
  return TOMBOLO_SIMD_BASE;
}

const Dispatch& dispatch(int32_t simd_level) noexcept {
#if defined(__x86_64__)
  const int32_t max = simd_level_max();
  const int32_t level = simd_level < max ? simd_level : max;
  if (level >= TOMBOLO_SIMD_AVX512) return avx512::kDispatch;
  if (level == TOMBOLO_SIMD_AVX2) return avx2::kDispatch;
#else
  (void)simd_level;
#endif
  return base::kDispatch;
}

}  // namespace v0
}  // namespace tombolo
