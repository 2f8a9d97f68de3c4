// SPDX-License-Identifier: Apache-2.0

//go:build tombolo_portable

package cgolink

const (
	reason = "built with the tag tombolo_portable"
	remedy = "build without -tags tombolo_portable, with a C++20 compiler installed"
)
