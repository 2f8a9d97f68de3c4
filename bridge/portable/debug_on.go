// SPDX-License-Identifier: Apache-2.0

//go:build tombolo_debug

package portable

const debug = true
