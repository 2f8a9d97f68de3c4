// SPDX-License-Identifier: Apache-2.0

//go:build !cgo && linux && (amd64 || arm64)

package crossing

import (
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
)

func entry(t *testing.T) abi.Entry {
	t.Helper()
	found, err := dlopen.Entry(libtest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	return found
}
