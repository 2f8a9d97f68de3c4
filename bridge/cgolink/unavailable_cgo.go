// SPDX-License-Identifier: Apache-2.0

//go:build !tombolo_portable && !cgo && linux && (amd64 || arm64)

package cgolink

const (
	reason = "built without cgo"
	remedy = "build with CGO_ENABLED=1 and a C++20 compiler (on Debian and Ubuntu: apt install g++)"
)
