// SPDX-License-Identifier: Apache-2.0
//
// Closes the region that region_begin.h opened for TOMBOLO_LEVEL.

#if defined(__x86_64__) && TOMBOLO_LEVEL > 0
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
