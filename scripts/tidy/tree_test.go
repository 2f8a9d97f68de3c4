// SPDX-License-Identifier: Apache-2.0

package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/tombolo-arrow/tombolo"

// sourceFile is one file of the tree; path is relative to the module root and has forward slashes.
type sourceFile struct {
	path  string
	text  string
	lines int
}

func (f sourceFile) room() string {
	room, _, _ := strings.Cut(f.path, "/")
	return room
}

func (f sourceFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

func (f sourceFile) dir() string { return filepath.ToSlash(filepath.Dir(f.path)) }

// generated says whether the file is exempt from length limits: generated code and tables.
func (f sourceFile) generated() bool {
	head := f.text[:min(len(f.text), 400)]
	return strings.Contains(head, "DO NOT EDIT") || strings.Contains(head, "tidy: table")
}

// tree reads every checked-in source file below the module root; folders that hold build products are left out.
func tree(t *testing.T, extensions ...string) []sourceFile {
	t.Helper()
	root := filepath.Join("..", "..")
	var files []sourceFile
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		if entry.IsDir() {
			switch entry.Name() {
			case ".git", "build", "bin", "node_modules", "testdata", "results":
				return filepath.SkipDir
			}
			return nil
		}
		for _, extension := range extensions {
			if strings.HasSuffix(relative, extension) {
				content, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				text := string(content)
				files = append(files, sourceFile{relative, text, strings.Count(text, "\n")})
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no files found with extensions %v", extensions)
	}
	return files
}

func parse(t *testing.T, file sourceFile) (*token.FileSet, *ast.File) {
	t.Helper()
	positions := token.NewFileSet()
	syntax, err := parser.ParseFile(positions, file.path, file.text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return positions, syntax
}

func imports(syntax *ast.File) []string {
	var paths []string
	for _, spec := range syntax.Imports {
		paths = append(paths, strings.Trim(spec.Path.Value, `"`))
	}
	return paths
}
