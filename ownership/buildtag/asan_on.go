// SPDX-License-Identifier: Apache-2.0

//go:build asan

package buildtag

// ASan is true in builds with AddressSanitizer (go build -asan).
const ASan = true
