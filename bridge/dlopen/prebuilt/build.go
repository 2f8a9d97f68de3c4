// SPDX-License-Identifier: Apache-2.0

// Package prebuilt makes libtombolo from the embedded sources, with the user's compiler and nothing else, and writes
// the Go package that carries it.
package prebuilt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/tombolo-arrow/tombolo/native"
)

// Name is the file name of the library: the number is that of its C interface.
const Name = "libtombolo.so.0"

// CompileFlags are those of bridge/cgolink; a test holds them together.
var CompileFlags = []string{"-std=c++20", "-O2", "-g1", "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden"}

// exports is the version script of the library.
const exports = `{
  global:
    tombolo_library_open;
    tombolo_host_open;
  local:
    *;
};
`

// ErrNoCompiler says that there is no C++ compiler, and what to do.
var ErrNoCompiler = errors.New("no C++ compiler; install one (Debian, Ubuntu: apt-get install g++), or name it in CXX")

// Build compiles the embedded sources into a shared library at path and replaces what is there. It uses the compiler
// that the variable CXX names, else g++, else clang++; a cross compiler gives a library for its machine. The context
// ends the compilation. On an error nothing is left at path that was not there before. It is safe for concurrent use.
func Build(ctx context.Context, path string) (err error) {
	compiler, err := findCompiler()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "tombolo-build")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)

	if err := os.CopyFS(folder, native.Sources); err != nil {
		return err
	}
	script := filepath.Join(folder, "exports.map")
	if err := os.WriteFile(script, []byte(exports), 0o600); err != nil {
		return err
	}
	objects, err := compile(ctx, compiler, folder)
	if err != nil {
		return err
	}
	linked := filepath.Join(folder, Name)
	// Without the standard C++ library: a symbol of it would be an error here.
	arguments := append(compiler[1:], "-shared", "-o", linked, "-nodefaultlibs", "-Wl,-soname,"+Name,
		"-Wl,--version-script="+script, "-Wl,-z,defs", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,--as-needed", "-Wl,-s")
	arguments = append(arguments, objects...)
	if err := command(ctx, compiler[0], append(arguments, "-lgcc", "-lc")...); err != nil {
		return err
	}
	return install(linked, path)
}

func findCompiler() ([]string, error) {
	if named := strings.Fields(os.Getenv("CXX")); len(named) > 0 {
		if _, err := exec.LookPath(named[0]); err != nil {
			return nil, fmt.Errorf("CXX: %w", err)
		}
		return named, nil
	}
	for _, name := range []string{"g++", "clang++"} {
		if _, err := exec.LookPath(name); err == nil {
			return []string{name}, nil
		}
	}
	return nil, ErrNoCompiler
}

// compile compiles a unit for each level, one for the kernels and one for the rest, as many at once as there are cores.
func compile(ctx context.Context, compiler []string, folder string) ([]string, error) {
	units, err := unitsOf(native.Sources)
	if err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.NumCPU())
	var objects []string
	for name, sources := range units {
		var text strings.Builder
		for _, source := range sources {
			fmt.Fprintf(&text, "#include %q\n", source)
		}
		unit := filepath.Join(folder, name+".cc")
		if err := os.WriteFile(unit, []byte(text.String()), 0o600); err != nil {
			return nil, err
		}
		object := filepath.Join(folder, name+".o")
		objects = append(objects, object)
		arguments := slices.Concat(compiler[1:], CompileFlags, []string{
			"-fPIC", "-I" + filepath.Join(folder, "include"), "-I" + filepath.Join(folder, "src"),
			"-DTOMBOLO_SOURCE_DIGEST=\"" + native.Digest() + "\"", "-c", unit, "-o", object,
		})
		group.Go(func() error { return command(ctx, compiler[0], arguments...) })
	}
	return objects, group.Wait()
}

// unitsOf groups the sources into units: fewer than files, since each unit reads the same headers.
func unitsOf(sources fs.FS) (map[string][]string, error) {
	units := map[string][]string{}
	err := fs.WalkDir(sources, "src", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".cc" {
			return err
		}
		unit := "core"
		switch base := strings.TrimSuffix(filepath.Base(path), ".cc"); {
		case strings.HasPrefix(base, "level_"):
			unit = base
		case strings.HasPrefix(path, "src/kernels/"), strings.HasPrefix(path, "src/geo/"):
			unit = "kernels"
		}
		units[unit] = append(units[unit], path)
		return nil
	})
	return units, err
}

// command runs a program and gives what it printed when it fails.
func command(ctx context.Context, name string, arguments ...string) error {
	run := exec.CommandContext(ctx, name, arguments...)
	var printed bytes.Buffer
	run.Stdout, run.Stderr = &printed, &printed
	if err := run.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w\n%s", name, err, printed.String())
	}
	return nil
}

// install puts a finished file in its place in one step.
func install(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return replace(to, content, 0o755)
}

func replace(path string, content []byte, mode fs.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // after the rename there is nothing of that name

	_, err = file.Write(content)
	if err = errors.Join(err, file.Chmod(mode), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
