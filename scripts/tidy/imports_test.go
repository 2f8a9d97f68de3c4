// SPDX-License-Identifier: Apache-2.0

package tidy

import (
	"slices"
	"strings"
	"testing"
)

// layers lists the rooms from the top down; a room imports only itself and rooms below it.
var layers = []string{"host", "projection", "bridge", "ownership"}

// mayImportNative are the only rooms that see the native sources: the carriers.
var mayImportNative = []string{"bridge/cgolink", "bridge/dlopen", "scripts", "ctests", "bench"}

// unsafeRooms may import unsafe outside of tests. Nested modules and the carriers are listed by their folder.
var unsafeRooms = []string{
	"bridge/abi", "bridge/cgolink", "bridge/cdata", "bridge/dlopen",
	"ownership/pin", "ownership/arena", "projection/row", "ctests", "bench",
}

// cgoRooms may import "C".
var cgoRooms = []string{"bridge/cgolink", "bridge/cdata", "ctests", "bench"}

// heavyRooms may import Parquet, the SQL oracle and terminal packages.
var heavyRooms = []string{"host/cmd", "scripts", "bench", "ctests"}

func TestImportsPointDown(t *testing.T) {
	for _, file := range tree(t, ".go") {
		_, syntax := parse(t, file)
		importer := slices.Index(layers, file.room())
		for _, path := range imports(syntax) {
			inside, ok := strings.CutPrefix(path, module+"/")
			if !ok {
				continue
			}
			room, _, _ := strings.Cut(inside, "/")
			imported := slices.Index(layers, room)
			switch {
			case room == "native":
				if !file.isTest() && !within(file.dir(), mayImportNative) {
					t.Errorf("%s: only carriers import native", file.path)
				}
			case importer >= 0 && imported >= 0 && imported < importer:
				t.Errorf("%s: %s must not import %s: imports point down", file.path, file.room(), room)
			case importer > 0 && imported < 0 && !file.isTest():
				t.Errorf("%s: %s must not import %s", file.path, file.room(), inside)
			}
		}
	}
}

func TestDangerousImportsStayInTheirRooms(t *testing.T) {
	for _, file := range tree(t, ".go") {
		_, syntax := parse(t, file)
		for _, path := range imports(syntax) {
			switch {
			case path == "unsafe":
				if !file.isTest() && !within(file.dir(), unsafeRooms) {
					t.Errorf("%s: unsafe is not for this room", file.path)
				}
			case path == "C":
				if !within(file.dir(), cgoRooms) {
					t.Errorf(`%s: import "C" is not for this room`, file.path)
				}
			case strings.HasPrefix(path, "github.com/ebitengine/purego"):
				if file.dir() != "bridge/dlopen" && !within(file.dir(), []string{"ctests", "bench"}) {
					t.Errorf("%s: only bridge/dlopen imports purego", file.path)
				}
			case strings.HasPrefix(path, "github.com/apache/arrow-go/v18/parquet"),
				strings.HasPrefix(path, "github.com/alecthomas/kong"),
				strings.HasPrefix(path, "github.com/jedib0t/go-pretty"):
				if !within(file.dir(), heavyRooms) {
					t.Errorf("%s: %s is not for this room", file.path, path)
				}
			}
		}
	}
}

func within(dir string, rooms []string) bool {
	for _, room := range rooms {
		if dir == room || strings.HasPrefix(dir, room+"/") {
			return true
		}
	}
	return false
}
