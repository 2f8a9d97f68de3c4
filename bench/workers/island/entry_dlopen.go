// SPDX-License-Identifier: Apache-2.0

//go:build !cgo && linux && tombolo_dlopen

package main

import (
	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen"
)

func entryOfBuild() (abi.Entry, error) { return dlopen.Entry("") }
