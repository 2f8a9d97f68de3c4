// SPDX-License-Identifier: Apache-2.0

package dlopen

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memoryFile puts the library into a file in memory that nobody can change any more. It needs /proc, and a system that
// lets such files be executed.
func memoryFile(library []byte, _ string) (string, func(), error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	// Since Linux 6.3 the permission to execute is asked for; before, the flag is unknown.
	fd, err := unix.MemfdCreate(libraryName, flags|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) {
		fd, err = unix.MemfdCreate(libraryName, flags)
	}
	if err != nil {
		return "", nil, err
	}
	file := os.NewFile(uintptr(fd), libraryName)
	if _, err := file.Write(library); err != nil {
		return "", nil, errors.Join(err, file.Close())
	}
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return "", nil, errors.Join(err, file.Close())
	}
	path := fmt.Sprintf("/proc/self/fd/%d", file.Fd())
	if _, err := os.Stat(path); err != nil {
		return "", nil, errors.Join(err, file.Close())
	}
	return path, func() { _ = file.Close() }, nil
}
