// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64)

package crossing

import (
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/cgolink"
)

func entry(*testing.T) abi.Entry { return cgolink.Entry() }
