// SPDX-License-Identifier: Apache-2.0

package dlopen

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
)

// The entry points of native/include/tombolo/library.h and host.h.
const (
	symbolLibrary = "tombolo_library_open"
	symbolHost    = "tombolo_host_open"
)

// loader is what a system offers. Tests put a fake in its place.
type loader interface {
	// open loads the file at path.
	open(path string) (handle uintptr, err error)
	// symbol gives an address; it fails when the library does not export name itself.
	symbol(handle uintptr, name string) (uintptr, error)
	// caller calls what symbol gave.
	caller() abi.Caller
}

// image is a library that was loaded.
type image struct {
	library, host uintptr
}

// cache holds what was loaded by path or by digest: one library in one process, however many engines open it.
type cache struct {
	sync.Mutex
	images map[string]image
}

// get returns the image under key, loaded by load the first time. A failure is not kept: a file may be mended.
func (c *cache) get(key string, load func() (image, error)) (image, error) {
	c.Lock()
	defer c.Unlock()

	if found, ok := c.images[key]; ok {
		return found, nil
	}
	loaded, err := load()
	if err != nil {
		return image{}, err
	}
	if c.images == nil {
		c.images = map[string]image{}
	}
	c.images[key] = loaded
	return loaded, nil
}

// loadFile loads a file that inspect has passed. where names it in errors. With needHost the library must have the
// entry point of tombolo's own too.
func loadFile(system loader, path, where string, needHost bool) (image, error) {
	handle, err := system.open(path)
	if err != nil {
		return image{}, &LoadError{Where: where, Reason: ErrRefused, Detail: err.Error()}
	}
	var loaded image
	if loaded.library, err = system.symbol(handle, symbolLibrary); err != nil {
		return image{}, &LoadError{Where: where, Reason: ErrSymbol, Detail: symbolLibrary}
	}
	if !needHost {
		return loaded, nil
	}
	if loaded.host, err = system.symbol(handle, symbolHost); err != nil {
		return image{}, &LoadError{Where: where, Reason: ErrSymbol, Detail: symbolHost}
	}
	return loaded, nil
}

// regularFile describes the file at path, which must be there and no folder or device. where names it in errors.
func regularFile(path, where string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &LoadError{Where: where, Reason: ErrNotFound}
	case err != nil:
		return nil, &LoadError{Where: where, Reason: ErrRefused, Detail: err.Error()}
	case !info.Mode().IsRegular():
		return nil, &LoadError{Where: where, Reason: ErrNotLibrary, Detail: "not a regular file"}
	}
	return info, nil
}
