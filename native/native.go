// SPDX-License-Identifier: Apache-2.0

// Package native carries the C and C++ sources of the kernel library as embedded files.
//
// Carriers that compile the sources import it: an edit of any embedded file then enters Go's build cache key,
// `go mod vendor` keeps the folders, and the linker drops the bytes where nothing reads them. It knows nothing of
// Go callers and imports nothing of this module.
package native

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"strconv"
)

// Sources holds include/ and src/ as they are compiled. It is read-only and safe for concurrent use.
//
//go:embed include src
var Sources embed.FS

// Digest returns the SHA-256 of all embedded sources in hex: for each file in path order its name, a zero byte,
// its length in bytes as decimal text, a zero byte, its content. It is safe for concurrent use.
func Digest() string {
	digest := sha256.New()
	err := fs.WalkDir(Sources, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := Sources.ReadFile(path)
		if err != nil {
			return err
		}
		digest.Write([]byte(path))
		digest.Write([]byte{0})
		digest.Write(strconv.AppendInt(nil, int64(len(content)), 10))
		digest.Write([]byte{0})
		digest.Write(content)
		return nil
	})
	if err != nil {
		// An embedded file system has no way to fail but a bug in this walk.
		panic("native: reading embedded sources: " + err.Error())
	}
	return hex.EncodeToString(digest.Sum(nil))
}
