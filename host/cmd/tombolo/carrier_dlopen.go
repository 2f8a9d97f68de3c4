// SPDX-License-Identifier: Apache-2.0

//go:build cgo || tombolo_dlopen

package main

import _ "github.com/tombolo-arrow/tombolo/bridge/dlopen"
