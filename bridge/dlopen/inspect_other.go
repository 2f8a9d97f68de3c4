// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package dlopen

// inspect makes sure that there is a file; the loader of the system says the rest.
func inspect(path, where string, _ ...string) error {
	_, err := regularFile(path, where)
	return err
}
