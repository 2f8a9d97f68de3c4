// SPDX-License-Identifier: Apache-2.0

package tidy

import (
	"regexp"
	"testing"
)

// callback matches what makes a Go function callable from C.
var callback = regexp.MustCompile(`(?m)^//export |NewCallback(CDecl)?\(|\bRegister(Lib)?Func\(`)

// TestNothingCallsGo holds the product to the rule that C never calls Go: no release, no stream, no progress. Tests may,
// to play the part of somebody else's library.
func TestNothingCallsGo(t *testing.T) {
	for _, file := range tree(t, ".go") {
		if file.isTest() || file.room() == "scripts" {
			continue
		}
		if found := callback.FindString(file.text); found != "" {
			t.Errorf("%s: %q makes Go callable from C", file.path, found)
		}
	}
}
