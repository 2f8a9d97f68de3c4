// SPDX-License-Identifier: Apache-2.0

// Package libtest gives tests a libtombolo to load.
package libtest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge/dlopen/prebuilt"
	"github.com/tombolo-arrow/tombolo/native"
)

// Path gives the path of a library made from this module's sources. It is kept in the user's cache folder, under the
// digest of sources, flags and compiler, since making it takes most of a minute. The test is skipped where the system
// has no compiler for it.
func Path(t testing.TB) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("libtombolo is made for linux alone")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	inputs := slices.Concat(prebuilt.CompileFlags, []string{native.Digest(), os.Getenv("CXX"), runtime.GOARCH})
	key := sha256.Sum256([]byte(strings.Join(inputs, " ")))
	folder := filepath.Join(cache, "tombolo", "tests", hex.EncodeToString(key[:]))
	path := filepath.Join(folder, prebuilt.Name)
	if _, err := os.Stat(path); err == nil {
		return path
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	switch err := prebuilt.Build(t.Context(), path); {
	case errors.Is(err, prebuilt.ErrNoCompiler):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return path
}
