// SPDX-License-Identifier: Apache-2.0
//
// poison.h: tells AddressSanitizer which bytes nobody may touch. Does nothing in other builds.
#pragma once

#include "simd/unit.h"

#if defined(__SANITIZE_ADDRESS__)
#define TOMBOLO_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TOMBOLO_ASAN 1
#endif
#endif

#if defined(TOMBOLO_ASAN)
extern "C" {
void __asan_poison_memory_region(void const volatile*, size_t);
void __asan_unpoison_memory_region(void const volatile*, size_t);
}
#endif

namespace tombolo {
inline namespace v0 {

inline void poison([[maybe_unused]] const void* memory, [[maybe_unused]] int64_t size_bytes) {
#if defined(TOMBOLO_ASAN)
  __asan_poison_memory_region(memory, static_cast<size_t>(size_bytes));
#endif
}

inline void unpoison([[maybe_unused]] const void* memory, [[maybe_unused]] int64_t size_bytes) {
#if defined(TOMBOLO_ASAN)
  __asan_unpoison_memory_region(memory, static_cast<size_t>(size_bytes));
#endif
}

}  // namespace v0
}  // namespace tombolo
