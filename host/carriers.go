// SPDX-License-Identifier: Apache-2.0

package host

// The native library is compiled in where that can be. Elsewhere the package registers why not, in
// plain Go, so that a build without cgo stays static.
import _ "github.com/tombolo-arrow/tombolo/bridge/cgolink"
