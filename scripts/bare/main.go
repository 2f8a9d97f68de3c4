// SPDX-License-Identifier: Apache-2.0

// Command bare runs commands on a clean clone in a bare machine: a fresh Debian root that holds Go, make, git and,
// unless left out, g++. It needs root and debootstrap, and the network that the host has.
//
//	go run ./scripts/bare [-root DIR] [-without-compiler] COMMAND ...
//
// Each COMMAND is one shell line. The root is kept when -root names it, so that a second run is quick.
package main

import (
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
)

func main() {
	root := flag.String("root", "", "folder of the Debian root; kept afterwards")
	suite := flag.String("suite", "bookworm", "Debian release")
	without := flag.Bool("without-compiler", false, "leave g++ out")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, *root, *suite, *without, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, suite string, without bool, commands []string) (err error) {
	if len(commands) == 0 {
		return errors.New("no command given")
	}
	if os.Getuid() != 0 {
		return errors.New("a Debian root is made by root")
	}
	if root == "" {
		if root, err = os.MkdirTemp("", "tombolo-bare"); err != nil {
			return err
		}
		defer os.RemoveAll(root)
	}
	defer unmount(root)
	if _, err := os.Stat(filepath.Join(root, "usr/bin/make")); err != nil {
		if err := bootstrap(ctx, root, suite, without); err != nil {
			return err
		}
	}
	if err := mount(ctx, root); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(root, "clone")); err != nil {
		return err
	}
	if err := command(ctx, "git", "clone", "--quiet", ".", filepath.Join(root, "clone")); err != nil {
		return err
	}
	for _, line := range commands {
		started := time.Now()
		fmt.Printf("== %s\n", line)
		inside := "cd /clone && export HOME=/root PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin && " + line
		if err := command(ctx, "chroot", root, "/bin/sh", "-c", inside); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		fmt.Printf("== %s: %d s\n", line, int(time.Since(started).Seconds()))
	}
	return nil
}

// bootstrap makes the root, and gives it the host's Go, certificates and package sources.
func bootstrap(ctx context.Context, root, suite string, without bool) error {
	packages := "ca-certificates,make,git"
	if !without {
		packages += ",g++"
	}
	if err := command(ctx, "debootstrap", "--variant=minbase", "--include="+packages, suite, root); err != nil {
		return err
	}
	goRoot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	copies := [][2]string{
		{strings.TrimSpace(string(goRoot)), "usr/local/go"},
		{"/etc/resolv.conf", "etc/resolv.conf"},
		{"/etc/ssl/certs/ca-certificates.crt", "etc/ssl/certs/ca-certificates.crt"},
	}
	for _, pair := range copies {
		target := filepath.Join(root, pair[1])
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := command(ctx, "cp", "-rLT", pair[0], target); err != nil {
			return err
		}
	}
	return nil
}

// mount gives the root the kernel's folders; unmount takes them away again, before the root is removed.
func mount(ctx context.Context, root string) error {
	if err := command(ctx, "mount", "-t", "proc", "proc", filepath.Join(root, "proc")); err != nil {
		return err
	}
	return command(ctx, "mount", "--bind", "/dev", filepath.Join(root, "dev"))
}

func unmount(root string) {
	for _, folder := range []string{"proc", "dev"} {
		_ = exec.Command("umount", "-l", filepath.Join(root, folder)).Run()
	}
}

func command(ctx context.Context, name string, arguments ...string) error {
	started := exec.CommandContext(ctx, name, arguments...)
	started.Stdout, started.Stderr = os.Stdout, os.Stderr
	if err := started.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
