// SPDX-License-Identifier: Apache-2.0

package tidy

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	fileLinesMax     = 900
	fileLinesWarning = 500
	functionLinesMax = 70
	lineColumnsMax   = 120
)

var bannedNames = []string{"utils", "util", "helpers", "helper", "common", "misc"}

func TestFilesAreShort(t *testing.T) {
	for _, file := range tree(t, ".go", ".h", ".cc", ".c", ".cpp", ".py", ".rs", ".java") {
		if file.generated() {
			continue
		}
		switch {
		case file.lines > fileLinesMax:
			t.Errorf("%s: %d lines, at most %d", file.path, file.lines, fileLinesMax)
		case file.lines > fileLinesWarning:
			t.Logf("warning: %s: %d lines; split it or say why it is one idea", file.path, file.lines)
		}
	}
}

func TestLinesAreShort(t *testing.T) {
	for _, file := range tree(t, ".go", ".h", ".cc", ".c") {
		// Rows of a test's table read better whole.
		if file.generated() || file.isTest() {
			continue
		}
		for number, line := range strings.Split(file.text, "\n") {
			columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			if columns > lineColumnsMax && !strings.Contains(line, "://") {
				t.Errorf("%s:%d: %d columns, at most %d", file.path, number+1, columns, lineColumnsMax)
			}
		}
	}
}

func TestFunctionsAreShort(t *testing.T) {
	for _, file := range tree(t, ".go") {
		if file.isTest() || file.generated() {
			continue
		}
		positions, syntax := parse(t, file)
		for _, declaration := range syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			start := positions.Position(function.Pos())
			end := positions.Position(function.End())
			if lines := end.Line - start.Line + 1; lines > functionLinesMax {
				t.Errorf("%s:%d: %s has %d lines, at most %d",
					file.path, start.Line, function.Name.Name, lines, functionLinesMax)
			}
		}
	}
}

func TestNamesAreNouns(t *testing.T) {
	for _, file := range tree(t, ".go", ".h", ".cc", ".c", ".md") {
		for _, part := range strings.Split(file.path, "/") {
			stem := strings.TrimSuffix(strings.TrimSuffix(part, path.Ext(part)), "_test")
			if slices.Contains(bannedNames, stem) {
				t.Errorf("%s: a name that says nothing", file.path)
			}
		}
	}
}

func TestEveryFileNamesItsLicence(t *testing.T) {
	for _, file := range tree(t, ".go", ".h", ".cc", ".c") {
		head := file.text[:min(len(file.text), 300)]
		if !strings.Contains(head, "SPDX-License-Identifier: Apache-2.0") {
			t.Errorf("%s: no SPDX line at the top", file.path)
		}
	}
}
