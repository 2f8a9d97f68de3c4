// SPDX-License-Identifier: Apache-2.0

package dlopen

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
)

// fakeLoader loads what it is told to, and remembers from where.
type fakeLoader struct {
	opened  []string
	refuse  func(path string) error
	symbols map[string]uintptr
}

func (f *fakeLoader) open(path string) (uintptr, error) {
	f.opened = append(f.opened, path)
	if f.refuse != nil {
		if err := f.refuse(path); err != nil {
			return 0, err
		}
	}
	return 1, nil
}

func (f *fakeLoader) symbol(_ uintptr, name string) (uintptr, error) {
	if address, ok := f.symbols[name]; ok {
		return address, nil
	}
	return 0, errors.New("undefined symbol")
}

func (f *fakeLoader) caller() abi.Caller { return nil }

func bothSymbols() map[string]uintptr { return map[string]uintptr{symbolLibrary: 11, symbolHost: 12} }

func providerOf(t testing.TB, library []byte) Provider {
	t.Helper()
	writer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256(library)
	return Provider{Name: "test image", SHA256: hex.EncodeToString(digest[:]), Zstd: writer.EncodeAll(library, nil)}
}

func TestImageGoesToTheNextPlaceWhenOneFails(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	broken := place{"memory file", func([]byte, string) (string, func(), error) {
		return "", nil, errors.New("function not implemented")
	}}
	fake := &fakeLoader{symbols: bothSymbols()}
	provider := providerOf(t, []byte("a library"))
	found, err := loadImage(fake, provider, []place{broken, {"cache folder", cacheFile}})
	if err != nil || found != (image{library: 11, host: 12}) {
		t.Fatalf("got %+v, %v", found, err)
	}
	content, err := os.ReadFile(fake.opened[0])
	if err != nil || string(content) != "a library" {
		t.Errorf("loaded %q, %v", content, err)
	}
}

// TestImageThatMayNotBeExecutedInMemory is a system that makes memory files and refuses to map them for execution.
func TestImageThatMayNotBeExecutedInMemory(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	fake := &fakeLoader{symbols: bothSymbols(), refuse: func(path string) error {
		if strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "memory") {
			return errors.New("failed to map segment from shared object")
		}
		return nil
	}}
	inMemory := place{"memory file", func([]byte, string) (string, func(), error) { return "memory", func() {}, nil }}
	if _, err := loadImage(fake, providerOf(t, []byte("a library")), []place{inMemory, places[1]}); err != nil {
		t.Error(err)
	}
	if len(fake.opened) != 2 {
		t.Errorf("tried %q", fake.opened)
	}
}

func TestImageWithoutAPlaceSaysWhyForEach(t *testing.T) {
	refused := errors.New("no such device")
	fake := &fakeLoader{symbols: bothSymbols(), refuse: func(string) error { return refused }}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err := loadImage(fake, providerOf(t, []byte("a library")), places)
	if !errors.Is(err, ErrNoPlace) || !strings.Contains(err.Error(), "cache folder") || !strings.Contains(err.Error(), "memory file") {
		t.Errorf("got %v", err)
	}
}

func TestDamagedImages(t *testing.T) {
	good := providerOf(t, []byte(strings.Repeat("a library ", 100)))
	cut, other, noise := good, good, good
	cut.Zstd = good.Zstd[:len(good.Zstd)-3]
	other.SHA256 = strings.Repeat("0", 64)
	noise.Zstd = []byte("not compressed at all")
	for name, provider := range map[string]Provider{"cut short": cut, "another digest": other, "noise": noise} {
		if _, err := loadImage(&fakeLoader{symbols: bothSymbols()}, provider, places); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestCacheFileIsPrivateAndCompared(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	path, _, err := cacheFile([]byte("a library"), "d1")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Dir(path))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder %v, %v", info.Mode(), err)
	}
	// Somebody's other content of the same size is replaced.
	if err := os.WriteFile(path, []byte("b library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if path, _, err = cacheFile([]byte("a library"), "d1"); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "a library" {
		t.Errorf("kept %q, %v", content, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("left %v, %v", entries, err)
	}
}

func TestCacheFolderThatIsALink(t *testing.T) {
	cache, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	if err := os.MkdirAll(filepath.Join(cache, "tombolo"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(cache, "tombolo", "d1")); err != nil {
		t.Skip(err)
	}
	if _, _, err := cacheFile([]byte("a library"), "d1"); !errors.Is(err, errNotPrivate) {
		t.Errorf("got %v", err)
	}
}

// TestImageLoads loads a real library from each real place.
func TestImageLoads(t *testing.T) {
	library, err := os.ReadFile(libtest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for i, place := range places {
		found, err := loadImage(system(), providerOf(t, library), places[i:i+1])
		if err != nil || found.library == 0 || found.host == 0 {
			t.Errorf("%s: %+v, %v", place.name, found, err)
		}
	}
}
