// SPDX-License-Identifier: Apache-2.0

package tidy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestGoInMarkdownCompiles builds every ```go block that has a package clause, and those without one as statements
// that only have to parse. Blocks are built inside the module, so what they import is what a reader gets.
func TestGoInMarkdownCompiles(t *testing.T) {
	for _, file := range tree(t, ".md") {
		for i, block := range goBlocks(file.text) {
			t.Run(file.path+"#"+strconv.Itoa(i), func(t *testing.T) { buildBlock(t, block) })
		}
	}
}

func goBlocks(text string) []string {
	var blocks []string
	for {
		_, rest, found := strings.Cut(text, "```go\n")
		if !found {
			return blocks
		}
		block, after, _ := strings.Cut(rest, "```")
		blocks = append(blocks, block)
		text = after
	}
}

func buildBlock(t *testing.T, block string) {
	t.Helper()
	if !strings.Contains(block, "package ") {
		block = "package main\n\nfunc main() {\n" + block + "}\n"
		parse(t, sourceFile{path: "block.go", text: block})
		return
	}
	// The folder's name starts with an underscore so that ./... patterns do not see it.
	dir, err := os.MkdirTemp(filepath.Join("..", "..", "scripts", "tidy"), "_block")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)

	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", "vet", "./"+filepath.Base(dir))
	command.Dir = filepath.Join("..", "..", "scripts", "tidy")
	command.Env = append(os.Environ(), "CGO_ENABLED=0") // types do not depend on the carrier
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, output, block)
	}
}
