// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package main

import (
	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/cgolink"
)

func entryOfBuild() (abi.Entry, error) { return cgolink.Entry(), nil }
