// SPDX-License-Identifier: Apache-2.0

package dlopen

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/abi"
)

// Variable names the environment variable that holds the path of a library.
const Variable = "TOMBOLO_LIBRARY"

// priority puts the carrier after the library that is compiled in, whose calls are cheaper, and before plain Go.
const priority = 50

const remedy = "run `tombolo prebuilt -o DIR` and import the package that it writes, or set " + Variable +
	" to the path of a libtombolo (go run ./scripts/buildlib makes one)"

var loaded cache

func init() {
	bridge.Register(bridge.Carrier{
		Name: "dlopen", Native: true, Priority: priority, Unavailable: unavailable, Remedy: remedy, Open: open,
	})
}

var errNothing = errors.New("no library is named, and no package provides one")

func open(_ context.Context, config bridge.Config) (bridge.Library, error) {
	entry, err := Entry(config.LibraryPath)
	if err != nil {
		return nil, err
	}
	return abi.Open(entry, config)
}

// Entry finds and loads tombolo's own library, as the carrier does, and tells how it is reached: for callers of package
// abi that drive it themselves. path may be empty; it is the first place of the search. The errors are [LoadError], or
// say that there is nothing to load.
func Entry(path string) (abi.Entry, error) {
	if unavailable != "" {
		return abi.Entry{}, errors.New(unavailable)
	}
	found, err := find(system(), path)
	if err != nil {
		return abi.Entry{}, err
	}
	return abi.Entry{
		Carrier: "dlopen", Caller: system().caller(), Library: found.library, Host: found.host,
		Remedy: "rebuild the library with the sources of this module (go run ./scripts/buildlib, or tombolo prebuilt)",
	}, nil
}

// OpenLibrary loads somebody's kernel library from an absolute path and opens it beside tombolo's own, whose entry
// [Entry] or cgolink.Entry gives: own supplies the allocator, the release callbacks and the validation that every
// result passes in full. The ownership guarantees are those of the carriers. The result is the caller's to close; the
// library itself stays loaded. It is safe for concurrent use. A file that is no library is a [LoadError]; one of
// another ABI, or whose table is not sound, is an error that says so.
func OpenLibrary(path string, own abi.Entry, config bridge.Config) (bridge.Library, error) {
	if unavailable != "" {
		return nil, errors.New(unavailable)
	}
	if !filepath.IsAbs(path) {
		return nil, &LoadError{Where: path, Reason: ErrRelative}
	}
	if err := inspect(path, path, symbolLibrary); err != nil {
		return nil, err
	}
	found, err := loaded.get("library "+path, func() (image, error) { return loadFile(system(), path, path, false) })
	if err != nil {
		return nil, err
	}
	return abi.Open(abi.Entry{
		Carrier: "dlopen", Caller: own.Caller, Library: found.library, Host: own.Host, Foreign: true,
		Remedy: "rebuild the library with the headers of this module",
	}, config)
}

func find(from loader, path string) (image, error) {
	if path == "" {
		path = os.Getenv(Variable)
	}
	if path != "" {
		return named(from, path)
	}
	provider, ok := provided()
	if !ok {
		return image{}, errNothing
	}
	return loaded.get(provider.SHA256, func() (image, error) { return loadImage(from, provider, places) })
}

// named loads the library at a path that somebody gave.
func named(from loader, path string) (image, error) {
	if !filepath.IsAbs(path) {
		return image{}, &LoadError{Where: path, Reason: ErrRelative}
	}
	if err := inspect(path, path, symbolLibrary, symbolHost); err != nil {
		return image{}, err
	}
	return loaded.get(path, func() (image, error) { return loadFile(from, path, path, true) })
}
