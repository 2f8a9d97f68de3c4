// SPDX-License-Identifier: Apache-2.0

// Command freshmodule checks that a stranger can depend on this module: it packs the committed tree as a module zip,
// serves it from a folder as a Go proxy, and lets a fresh module build and run the README's example from it: with cgo,
// without, after `go mod vendor`, with paths trimmed, and without cgo from a library made of the packed sources. There
// is no replace directive and no clone in sight.
//
//	go run ./scripts/freshmodule [-keep]
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const modulePath = "github.com/tombolo-arrow/tombolo"

// version is new in every run: the module cache keeps what it has seen under a version for good.
var version = "v0.0.0-" + time.Now().UTC().Format("20060102150405") + "-000000000000"

func main() {
	keep := flag.Bool("keep", false, "keep the work folder and print its name")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "freshmodule:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, keep bool) error {
	work, err := os.MkdirTemp("", "tombolo-fresh")
	if err != nil {
		return err
	}
	if keep {
		fmt.Println("work folder:", work)
	} else {
		defer os.RemoveAll(work)
	}
	defer forget(ctx)
	proxy := filepath.Join(work, "proxy")
	if err := writeProxy(proxy); err != nil {
		return fmt.Errorf("packing the module: %w", err)
	}
	example, err := readmeExample("README.md")
	if err != nil {
		return err
	}
	return build(ctx, filepath.Join(work, "user"), proxy, example)
}

// forget takes the packed module out of the module cache again, whose files are read-only.
func forget(ctx context.Context) {
	cache, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE").Output()
	if err != nil {
		return
	}
	folder := filepath.Join(strings.TrimSpace(string(cache)), modulePath+"@"+version)
	_ = filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return err
	})
	_ = os.RemoveAll(folder)
}

// writeProxy lays the committed tree out as a module proxy serves it.
func writeProxy(proxy string) error {
	folder := filepath.Join(proxy, modulePath, "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var archive bytes.Buffer
	packed := module.Version{Path: modulePath, Version: version}
	if err := zip.CreateFromVCS(&archive, packed, ".", "HEAD", ""); err != nil {
		return err
	}
	goMod, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	files := map[string][]byte{
		version + ".zip":  archive.Bytes(),
		version + ".mod":  goMod,
		version + ".info": []byte(`{"Version":"` + version + `"}`),
		"list":            []byte(version + "\n"),
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("module zip: %d KB\n", archive.Len()>>10)
	return nil
}

// readmeExample returns the first Go block of the README that is a whole program.
func readmeExample(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	rest := string(text)
	for {
		_, after, found := strings.Cut(rest, "```go\n")
		if !found {
			return "", errors.New("README.md has no Go block with a package clause")
		}
		block, tail, _ := strings.Cut(after, "```")
		if strings.Contains(block, "package main") {
			return block, nil
		}
		rest = tail
	}
}

func build(ctx context.Context, folder, proxy, example string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(example), 0o644); err != nil {
		return err
	}
	upstream, err := exec.CommandContext(ctx, "go", "env", "GOPROXY").Output()
	if err != nil {
		return err
	}
	base := []string{
		"GOPROXY=file://" + proxy + "," + strings.TrimSpace(string(upstream)),
		"GONOSUMDB=" + modulePath, "GOFLAGS=", "GOWORK=off",
	}
	withCgo, without := append(base, "CGO_ENABLED=1"), append(base, "CGO_ENABLED=0")
	// Without cgo, with a library that is made from the sources in the module zip.
	library := filepath.Join(folder, "libtombolo.so.0")
	loading := append(without[:len(without):len(without)], "TOMBOLO_LIBRARY="+library)
	steps := []step{
		{base, "mod init example.com/user", ""},
		{base, "get " + modulePath + "@" + version, ""},
		{base, "mod tidy", ""},
		{withCgo, "run .", "cgo"},
		{without, "run .", "portable"},
		{withCgo, "run -trimpath .", "cgo"},
		{base, "mod vendor", ""},
		{withCgo, "run -mod=vendor .", "cgo"},
		{without, "run -mod=vendor .", "portable"},
	}
	for _, step := range steps {
		if err := step.run(ctx, folder); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(filepath.Join(folder, "vendor")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "carrier.go"), []byte(carrierFile), 0o644); err != nil {
		return err
	}
	for _, step := range []step{
		{base, "mod tidy", ""},
		{without, "run " + modulePath + "/scripts/buildlib -o " + library, ""},
		{loading, "run .", "dlopen"},
		{without, "run .", "portable"},
	} {
		if err := step.run(ctx, folder); err != nil {
			return err
		}
	}
	return nil
}

// carrierFile is what a program adds to have native kernels without cgo.
const carrierFile = "package main\n\nimport _ \"" + modulePath + "/bridge/dlopen\"\n"

// step is one run of the go command. want is the carrier that its output names.
type step struct {
	env       []string
	arguments string
	want      string
}

func (s step) run(ctx context.Context, folder string) error {
	fmt.Printf("go %s (%s)\n", s.arguments, s.env[len(s.env)-1])
	command := exec.CommandContext(ctx, "go", strings.Fields(s.arguments)...)
	command.Dir, command.Env = folder, append(os.Environ(), s.env...)
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go %s: %w\n%s", s.arguments, err, output)
	}
	if s.want == "" {
		return nil
	}
	fmt.Printf("%s", output)
	if !strings.Contains(string(output), s.want) {
		return fmt.Errorf("go %s: the output does not name carrier %q", s.arguments, s.want)
	}
	return nil
}
