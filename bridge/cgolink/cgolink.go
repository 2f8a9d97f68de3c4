// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

package cgolink

// #cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-exceptions -fno-rtti -fvisibility=hidden
// #cgo CXXFLAGS: -I${SRCDIR}/../../native/include -I${SRCDIR}/../../native/src
// #cgo LDFLAGS: -static-libgcc
// #cgo CFLAGS: -std=c11 -I${SRCDIR}/../../native/include
// #cgo noescape tombolo_cgolink_call
// #cgo noescape tombolo_cgolink_call7
//
// #include <stdint.h>
// #include <tombolo/host.h>
// #include <tombolo/library.h>
//
// typedef uintptr_t (*tombolo_cgolink_function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
// typedef uintptr_t (*tombolo_cgolink_function7)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
//                                                uintptr_t);
//
// static inline uintptr_t tombolo_cgolink_call(uintptr_t function, uintptr_t a0, uintptr_t a1, uintptr_t a2,
//                                              uintptr_t a3, uintptr_t a4, uintptr_t a5) {
//   return ((tombolo_cgolink_function)function)(a0, a1, a2, a3, a4, a5);
// }
//
// static inline uintptr_t tombolo_cgolink_call7(uintptr_t function, uintptr_t a0, uintptr_t a1, uintptr_t a2,
//                                               uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6) {
//   return ((tombolo_cgolink_function7)function)(a0, a1, a2, a3, a4, a5, a6);
// }
//
// static inline uintptr_t tombolo_cgolink_library(void) { return (uintptr_t)&tombolo_library_open; }
// static inline uintptr_t tombolo_cgolink_host(void) { return (uintptr_t)&tombolo_host_open; }
import "C"

import (
	"context"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/abi"
	_ "github.com/tombolo-arrow/tombolo/native" // puts the C++ sources into the build cache key of this package
)

func init() {
	bridge.Register(bridge.Carrier{Name: "cgo", Native: true, Priority: priority, Open: open})
}

func open(_ context.Context, config bridge.Config) (bridge.Library, error) {
	return abi.Open(Entry(), config)
}

// Entry tells how the compiled-in library is reached, for callers of package abi that drive it themselves.
func Entry() abi.Entry {
	return abi.Entry{
		Carrier: "cgo",
		Caller:  Caller{},
		Library: uintptr(C.tombolo_cgolink_library()),
		Host:    uintptr(C.tombolo_cgolink_host()),
		Remedy:  "build all of the module at one version",
	}
}

// Caller calls C functions through cgo. It has no state and is safe for concurrent use.
type Caller struct{}

// Call is part of abi.Caller. The function called may call back into Go, as the release of a foreign struct can.
func (Caller) Call(function, a0, a1, a2, a3, a4, a5 uintptr) uintptr {
	return uintptr(C.tombolo_cgolink_call(C.uintptr_t(function), C.uintptr_t(a0), C.uintptr_t(a1), C.uintptr_t(a2),
		C.uintptr_t(a3), C.uintptr_t(a4), C.uintptr_t(a5)))
}

// Call7 is part of abi.Caller.
func (Caller) Call7(function, a0, a1, a2, a3, a4, a5, a6 uintptr) uintptr {
	return uintptr(C.tombolo_cgolink_call7(C.uintptr_t(function), C.uintptr_t(a0), C.uintptr_t(a1), C.uintptr_t(a2),
		C.uintptr_t(a3), C.uintptr_t(a4), C.uintptr_t(a5), C.uintptr_t(a6)))
}
