// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestProgramPrints runs the program; the carrier in its first word is that of the build.
func TestProgramPrints(t *testing.T) {
	output := t.TempDir() + "/output"
	file, err := os.Create(output)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	stdout := os.Stdout
	os.Stdout = file
	main()
	os.Stdout = stdout
	printed, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	_, columns, _ := strings.Cut(string(printed), " ")
	if want := "[[\"ORD\" \"ATL\"] [2 1] [25 70]]\n"; columns != want {
		t.Errorf("printed %q, want %q after the carrier", printed, want)
	}
}

// TestReadmeShowsThisProgram compares the first Go block of the README that is a program with main.go,
// from its package clause on.
func TestReadmeShowsThisProgram(t *testing.T) {
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ = bytes.Cut(program, []byte("package main\n"))
	readme, err := os.ReadFile("../../../../README.md")
	if os.IsNotExist(err) {
		t.Skip("the module comes without its README")
	} else if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(readme), "```go\npackage main\n")
	if !found {
		t.Fatal("README.md has no Go block with a package clause")
	}
	block, _, _ = strings.Cut(block, "```")
	if block != string(program) {
		t.Errorf("README.md shows\n%s\nmain.go is\n%s", block, program)
	}
}
