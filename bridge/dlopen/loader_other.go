// SPDX-License-Identifier: Apache-2.0

//go:build !((linux || darwin || windows) && (amd64 || arm64))

package dlopen

const unavailable = "no library can be loaded on this platform"

func system() loader { return nil }
