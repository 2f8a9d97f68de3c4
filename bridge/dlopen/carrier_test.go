// SPDX-License-Identifier: Apache-2.0

package dlopen

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/dlopen/libtest"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// openAs opens the carrier with a path and says which carrier came of it.
func openAs(t *testing.T, path string) (bridge.Info, error) {
	t.Helper()
	l := ledger.New()
	a, err := arena.New(arena.Config{Ledger: l})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		l.VerifyEmpty(t)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	config := bridge.Config{Ledger: l, Arena: a, SIMDLevel: bridge.LevelMax, LibraryPath: path}
	library, _, err := bridge.Open(t.Context(), config, bridge.RequireNative, "dlopen")
	if err != nil {
		return bridge.Info{}, err
	}
	info := library.Info()
	return info, library.Close()
}

func TestOpensTheLibraryAtAPath(t *testing.T) {
	path := libtest.Path(t)
	info, err := openAs(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Carrier != "dlopen" || !info.Native || info.SourceDigest == "" {
		t.Errorf("opened %+v", info)
	}
}

func TestOpensWhatTheEnvironmentNames(t *testing.T) {
	t.Setenv(Variable, libtest.Path(t))
	if _, err := openAs(t, ""); err != nil {
		t.Error(err)
	}
}

func TestAPathComesBeforeTheEnvironment(t *testing.T) {
	t.Setenv(Variable, libtest.Path(t))
	missing := filepath.Join(t.TempDir(), "missing.so")
	if _, err := openAs(t, missing); !errors.Is(err, ErrNotFound) {
		t.Errorf("a named path that is not there was passed over: %v", err)
	}
}

func TestSaysThatNothingIsNamed(t *testing.T) {
	t.Setenv(Variable, "")
	_, err := openAs(t, "")
	if !errors.Is(err, bridge.ErrUnavailable) || !strings.Contains(err.Error(), errNothing.Error()) {
		t.Errorf("got %v", err)
	}
}

// TestRefusesFiles names what is wrong with a file before the system's loader sees it.
func TestRefusesFiles(t *testing.T) {
	library, err := os.ReadFile(libtest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	otherMachine := append([]byte(nil), library...)
	otherMachine[18] = 0x08 // e_machine: MIPS
	renamed := []byte(strings.Replace(string(library), symbolHost, "tombolo_host_opem", 1))
	tests := []struct {
		name    string
		content []byte
		want    error
	}{
		{"empty", nil, ErrNotLibrary},
		{"text", []byte(strings.Repeat("no library at all\n", 20)), ErrNotLibrary},
		{"three bytes of the magic", library[:3], ErrNotLibrary},
		{"magic alone", library[:4], ErrTruncated},
		{"half a header", library[:40], ErrTruncated},
		{"header alone", library[:64], ErrTruncated},
		{"half", library[:len(library)/2], ErrTruncated},
		{"all but the section table", library[:len(library)-100], ErrTruncated},
		{"other machine", otherMachine, ErrMachine},
		{"missing symbol", renamed, ErrSymbol},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), libraryName)
			if err := os.WriteFile(path, test.content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := openAs(t, path)
			var load *LoadError
			if !errors.Is(err, test.want) || !errors.As(err, &load) || load.Where != path {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func TestRefusesPaths(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		want       error
	}{
		{"relative", "libtombolo.so.0", ErrRelative},
		{"relative with a folder", "./libtombolo.so.0", ErrRelative},
		{"missing", filepath.Join(t.TempDir(), "missing.so"), ErrNotFound},
		{"folder", t.TempDir(), ErrNotLibrary},
		{"device", "/dev/null", ErrNotLibrary},
		{"program", program, ErrNotLibrary},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := openAs(t, test.path); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}
