// SPDX-License-Identifier: Apache-2.0

//go:build cgo && asan && linux && (amd64 || arm64) && !tombolo_portable

package cgolink

// #include <stddef.h>
// #include <stdint.h>
//
// void __asan_poison_memory_region(void const volatile* memory, size_t bytes);
// void __asan_unpoison_memory_region(void const volatile* memory, size_t bytes);
//
// static void tombolo_cgolink_poison(uintptr_t memory, size_t bytes) {
//   __asan_poison_memory_region((void const volatile*)memory, bytes);
// }
// static void tombolo_cgolink_unpoison(uintptr_t memory, size_t bytes) {
//   __asan_unpoison_memory_region((void const volatile*)memory, bytes);
// }
import "C"

import "github.com/tombolo-arrow/tombolo/ownership/arena"

// Under AddressSanitizer the free memory and the slack of arenas are marked, so that native code
// which reads past a buffer of an arena, or after its release, stops the program as with memory of
// malloc.
func init() {
	arena.SetPoisoner(arena.Poisoner{
		Poison: func(address, length uintptr) {
			C.tombolo_cgolink_poison(C.uintptr_t(address), C.size_t(length))
		},
		Unpoison: func(address, length uintptr) {
			C.tombolo_cgolink_unpoison(C.uintptr_t(address), C.size_t(length))
		},
	})
}
