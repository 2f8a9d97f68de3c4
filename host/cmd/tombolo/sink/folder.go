// SPDX-License-Identifier: Apache-2.0

// Package sink writes tables: CSV, Parquet and Arrow IPC files, and a table on a terminal.
//
// The same batches give the same bytes: no file holds a time, a random number or the name of a
// machine. Files appear under their names all together or not at all ([Folder]). The package knows
// nothing of flights; it is part of the command and under no promise of compatibility.
package sink

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// fileBufferBytes is the write buffer of each file.
const fileBufferBytes = 1 << 20

// Folder is where result files go. Each is written under a temporary name beside its own and gets
// its own name by Commit. Create, Commit and Abort belong to one goroutine; the files may be
// written from several.
type Folder struct {
	path  string
	made  string // the topmost folder that was made for this; "" when all were there
	files []*pending
}

// pending is a file without its name.
type pending struct {
	name string
	file *os.File
	*bufio.Writer
}

// NewFolder makes the folder if it is not there. The error is the file system's.
func NewFolder(path string) (*Folder, error) {
	made := missingRoot(path)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	return &Folder{path: path, made: made}, nil
}

// missingRoot is the topmost folder of path that does not exist.
func missingRoot(path string) string {
	missing := ""
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			return missing
		}
		missing = path
	}
}

// Create opens a file of the folder. The folder closes it.
func (f *Folder) Create(name string) (io.Writer, error) {
	file, err := os.CreateTemp(f.path, "."+name+".*")
	if err != nil {
		return nil, err
	}
	created := &pending{name: name, file: file, Writer: bufio.NewWriterSize(file, fileBufferBytes)}
	f.files = append(f.files, created)
	return created, nil
}

// Commit closes the files and gives them their names, replacing older ones. On error no file of
// this run is left behind.
func (f *Folder) Commit() error {
	var err error
	for _, created := range f.files {
		// Temporary files are private to the user; results get what the umask leaves of 0644.
		err = errors.Join(err, created.Flush(), created.file.Chmod(0o644), created.file.Close())
	}
	if err != nil {
		f.Abort()
		return err
	}
	for i, created := range f.files {
		if err := os.Rename(created.file.Name(), filepath.Join(f.path, created.name)); err != nil {
			for _, named := range f.files[:i] {
				_ = os.Remove(filepath.Join(f.path, named.name))
			}
			f.Abort()
			return err
		}
	}
	f.files, f.made = nil, ""
	return nil
}

// Abort removes the files that have no name yet, and the folder when it was made for them. After
// Commit it does nothing.
func (f *Folder) Abort() {
	for _, created := range f.files {
		// Errors are of no use here: the caller is failing already.
		_ = created.file.Close()
		_ = os.Remove(created.file.Name())
	}
	f.files = nil
	if f.made == "" {
		return
	}
	for path := filepath.Clean(f.path); ; path = filepath.Dir(path) {
		if os.Remove(path) != nil || path == f.made {
			return
		}
	}
}

// Writer takes batches of one schema in order. It belongs to one goroutine at a time.
type Writer interface {
	// Write writes a batch, which stays the caller's.
	Write(batch Batch) error

	// Close ends the table; the file under it stays open.
	Close() error
}
