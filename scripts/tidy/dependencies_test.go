// SPDX-License-Identifier: Apache-2.0

package tidy

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files")

// TestDependencyBudget holds what a program gets that imports host/compute, as the README's example does, to a
// checked-in list: no Parquet, no gRPC, nothing that nobody decided on.
func TestDependencyBudget(t *testing.T) {
	const format = "{{if not .Standard}}{{.ImportPath}}{{end}}"
	command := exec.Command("go", "list", "-deps", "-f", format, module+"/host/compute")
	command.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS=linux", "GOARCH=amd64")
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(output))
	slices.Sort(packages)
	got := strings.Join(packages, "\n") + "\n"

	golden := filepath.Join("testdata", "dependencies.txt")
	if *rewrite {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("dependencies of host/compute changed (-budget +now); -rewrite accepts them\n%s", diff)
	}
	for _, path := range packages {
		if strings.Contains(path, "/parquet") || strings.Contains(path, "google.golang.org/grpc") {
			t.Errorf("%s must not be among the dependencies", path)
		}
	}
}
