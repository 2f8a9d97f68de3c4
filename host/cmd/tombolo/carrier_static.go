// SPDX-License-Identifier: Apache-2.0

//go:build !cgo && !tombolo_dlopen

package main

import (
	"context"
	"errors"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// A static program cannot load a library; whoever wants that says so.
func init() {
	const reason = "this build is a static program, which cannot load a library"
	bridge.Register(bridge.Carrier{
		Name: "dlopen", Native: true, Priority: 50, Unavailable: reason, Remedy: "build with -tags tombolo_dlopen",
		Open: func(context.Context, bridge.Config) (bridge.Library, error) { return nil, errors.New(reason) },
	})
}
