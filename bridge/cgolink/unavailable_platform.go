// SPDX-License-Identifier: Apache-2.0

//go:build !tombolo_portable && !(linux && (amd64 || arm64))

package cgolink

const (
	reason = "the native library is not compiled on this platform yet"
	remedy = "use linux on amd64 or arm64"
)
