// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package host

// cgoBuild says whether this build has cgo.
const cgoBuild = false
