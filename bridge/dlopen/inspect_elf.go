// SPDX-License-Identifier: Apache-2.0

//go:build linux

package dlopen

import (
	"debug/elf"
	"io"
	"os"
	"runtime"
)

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// inspect looks at a file before the system maps it. The loader of the system trusts what it is given: a file whose
// segments end before its header says makes the process fault while it relocates.
func inspect(path, where string, symbols ...string) error {
	info, err := regularFile(path, where)
	if err != nil {
		return err
	}
	file, err := elf.Open(path)
	if err != nil {
		return &LoadError{Where: where, Reason: unreadable(path), Detail: err.Error()}
	}
	defer file.Close()

	if file.Machine != machines[runtime.GOARCH] || file.Class != elf.ELFCLASS64 {
		return &LoadError{Where: where, Reason: ErrMachine, Detail: file.Machine.String()}
	}
	if file.Type != elf.ET_DYN {
		return &LoadError{Where: where, Reason: ErrNotLibrary, Detail: file.Type.String()}
	}
	size := uint64(info.Size())
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			return &LoadError{Where: where, Reason: ErrNotLibrary, Detail: "a program"}
		}
		if segment.Filesz > size || segment.Off > size-segment.Filesz {
			return &LoadError{Where: where, Reason: ErrTruncated}
		}
	}
	exported, err := file.DynamicSymbols()
	if err != nil {
		return &LoadError{Where: where, Reason: ErrSymbol, Detail: err.Error()}
	}
	for _, name := range symbols {
		if !exports(exported, name) {
			return &LoadError{Where: where, Reason: ErrSymbol, Detail: name}
		}
	}
	return nil
}

// unreadable tells a file that was cut short, whose first bytes are those of a library, from one that never was one.
func unreadable(path string) error {
	const magic = "\x7fELF"
	head := make([]byte, len(magic))
	file, err := os.Open(path)
	if err != nil {
		return ErrNotLibrary
	}
	defer file.Close()

	if _, err := io.ReadFull(file, head); err != nil || string(head) != magic {
		return ErrNotLibrary
	}
	return ErrTruncated
}

func exports(symbols []elf.Symbol, name string) bool {
	for _, symbol := range symbols {
		if symbol.Name == name && symbol.Section != elf.SHN_UNDEF {
			return true
		}
	}
	return false
}
