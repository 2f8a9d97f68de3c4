// SPDX-License-Identifier: Apache-2.0

package dlopen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// libraryName is the file name of the library, with the number of its C interface.
const libraryName = "libtombolo.so.0"

// places are where an image can be loaded from, in the order of trying. Each gives a path to load and a function that
// ends what is no longer needed once it was.
var places = []place{
	{"memory file", memoryFile},
	{"cache folder", cacheFile},
}

type place struct {
	name string
	put  func(library []byte, digest string) (path string, done func(), err error)
}

// loadImage loads a provider's library from the first place that works.
func loadImage(system loader, provider Provider, from []place) (image, error) {
	library, err := provider.unpack()
	if err != nil {
		return image{}, err
	}
	var failures []error
	for _, place := range from {
		path, done, err := place.put(library, provider.SHA256)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", place.name, err))
			continue
		}
		loaded, err := loadFile(system, path, provider.Name, true)
		done()
		if err == nil {
			return loaded, nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", place.name, err))
	}
	return image{}, &LoadError{Where: provider.Name, Reason: ErrNoPlace, Detail: errors.Join(failures...).Error()}
}

// cacheFile keeps the library in a folder of the user's alone, under its digest. A file that is there already is
// compared, not trusted.
func cacheFile(library []byte, digest string) (string, func(), error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", nil, err
	}
	folder := filepath.Join(base, "tombolo", digest)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", nil, err
	}
	if err := private(folder); err != nil {
		return "", nil, err
	}
	path := filepath.Join(folder, libraryName)
	if same(path, library) {
		return path, func() {}, nil
	}
	file, err := os.CreateTemp(folder, libraryName+".*")
	if err != nil {
		return "", nil, err
	}
	defer os.Remove(file.Name()) // after the rename there is nothing of that name

	_, err = file.Write(library)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return "", nil, err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return "", nil, err
	}
	return path, func() {}, nil
}

// same says that the regular file at path is the library.
func same(path string, library []byte) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(library)) {
		return false
	}
	found, err := os.ReadFile(path)
	return err == nil && string(found) == string(library)
}

var errNotPrivate = errors.New("the folder is not this user's alone")

// private makes sure that nobody else can write to folder.
func private(folder string) error {
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode()&fs.ModeSymlink != 0 || !owned(info) {
		return fmt.Errorf("%s: %w", folder, errNotPrivate)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(folder, 0o700)
	}
	return nil
}
