// SPDX-License-Identifier: Apache-2.0

package main

import (
	"debug/elf"
	"fmt"
	"regexp"
	"slices"
)

// exports is what cmake/tombolo.map lets out.
var exports = []string{"tombolo_host_open", "tombolo_library_open"}

// A library that needs more than these does not load under every C library.
var neededAllowed = regexp.MustCompile(`^(libc\.so\.6|libc\.so|libc\.musl-.*|libpthread\.so\.0|ld-linux.*)$`)

// The C++ runtime: mangled names of std::, operator new and delete, type information, exceptions, guards.
var runtimeSymbol = regexp.MustCompile(`^(_ZS|_ZNS|_ZNKS|_ZT|_Zn|_Zd|__cxa_|__gxx_|_Unwind_)`)

// The linker's own start files name it, weakly, in every shared library.
const finalize = "__cxa_finalize"

func checkShared(path string) ([]string, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the library: %w", err)
	}
	defer file.Close()

	var faults []string
	needed, err := file.ImportedLibraries()
	if err != nil {
		return nil, fmt.Errorf("reading what %s needs: %w", path, err)
	}
	for _, name := range needed {
		if !neededAllowed.MatchString(name) {
			faults = append(faults, "the library needs "+name)
		}
	}
	symbols, err := file.DynamicSymbols()
	if err != nil {
		return nil, fmt.Errorf("reading the symbols of %s: %w", path, err)
	}
	var exported []string
	for _, symbol := range symbols {
		switch {
		case elf.ST_TYPE(symbol.Info) == elf.STT_SECTION: // the linker of arm64 lists sections
		case symbol.Section != elf.SHN_UNDEF:
			exported = append(exported, symbol.Name)
		case symbol.Name != finalize && runtimeSymbol.MatchString(symbol.Name):
			faults = append(faults, "the library wants "+symbol.Name+" of the C++ runtime")
		}
	}
	slices.Sort(exported)
	if !slices.Equal(exported, exports) {
		faults = append(faults, fmt.Sprintf("the library exports %v, want %v", exported, exports))
	}
	return faults, nil
}
