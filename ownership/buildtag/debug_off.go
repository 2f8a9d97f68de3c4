// SPDX-License-Identifier: Apache-2.0

//go:build !tombolo_debug

package buildtag

// Debug is true in builds with the tag tombolo_debug.
const Debug = false
