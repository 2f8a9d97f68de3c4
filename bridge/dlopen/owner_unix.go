// SPDX-License-Identifier: Apache-2.0

//go:build unix

package dlopen

import (
	"io/fs"
	"os"
	"syscall"
)

// owned says that this user owns a file.
func owned(info fs.FileInfo) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(status.Uid) == os.Getuid()
}
