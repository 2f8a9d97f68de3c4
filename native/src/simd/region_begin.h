// SPDX-License-Identifier: Apache-2.0
//
// Opens the target region of TOMBOLO_LEVEL: every function, template and lambda up to region_end.h
// is compiled for that level, whatever the flags of the unit. No header of the standard library or
// of intrinsics may be first included inside a region: its templates would be compiled for the
// level and picked elsewhere.
//
// No include guard: each level's unit includes it once.

#if defined(__x86_64__) && TOMBOLO_LEVEL == 1
#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif
#elif defined(__x86_64__) && TOMBOLO_LEVEL == 2
#if defined(__clang__)
#pragma clang attribute push(                                               \
    __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,"    \
                          "avx512cd,avx512dq,avx512vl,avx512vbmi,"          \
                          "avx512vbmi2,avx512vpopcntdq"))),                 \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd")
#pragma GCC target("avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq")
#pragma GCC target("prefer-vector-width=512")
#endif
#endif
