// SPDX-License-Identifier: Apache-2.0

//go:build !(cgo && linux && (amd64 || arm64) && !tombolo_portable)

package cgolink

import (
	"context"
	"errors"

	"github.com/tombolo-arrow/tombolo/bridge"
)

func init() {
	bridge.Register(bridge.Carrier{
		Name: "cgo", Native: true, Priority: priority, Unavailable: reason, Remedy: remedy, Open: open,
	})
}

func open(context.Context, bridge.Config) (bridge.Library, error) {
	return nil, errors.New(reason + "; " + remedy)
}
