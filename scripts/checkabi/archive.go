// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
)

var (
	functionHeader = regexp.MustCompile(`^[0-9a-f]+ <([^>]+)>:$`)
	wideRegister   = regexp.MustCompile(`%[yz]mm[0-9]`)
	levelName      = regexp.MustCompile(`4avx2|6avx512`)
)

// checkArchive finds constructors, which would run before main, and weak functions that hold instructions of a
// SIMD level: the linker may take that copy for code that runs on every machine. It uses nm and objdump.
func checkArchive(path string) ([]string, error) {
	listed, err := exec.Command("nm", "--defined-only", path).Output()
	if err != nil {
		return nil, fmt.Errorf("running nm on %s: %w", path, err)
	}
	weak := map[string]bool{}
	var faults []string
	for line := range strings.Lines(string(listed)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		if fields[1] == "W" || fields[1] == "V" {
			weak[fields[2]] = true
		}
		if strings.HasPrefix(fields[2], "_GLOBAL__sub_I") {
			faults = append(faults, "a global constructor: "+fields[2])
		}
	}
	wide, err := wideFunctions(path)
	if err != nil {
		return nil, err
	}
	for _, name := range wide {
		if weak[name] && !levelName.MatchString(name) {
			faults = append(faults, "a weak function holds wide vector code: "+name)
		}
	}
	return faults, nil
}

// wideFunctions lists the functions that use ymm or zmm registers.
func wideFunctions(path string) ([]string, error) {
	command := exec.Command("objdump", "-d", "--no-show-raw-insn", path)
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("running objdump on %s: %w", path, err)
	}
	names := scanWide(output)
	if err := command.Wait(); err != nil {
		return nil, fmt.Errorf("running objdump on %s: %w", path, err)
	}
	return names, nil
}

func scanWide(output io.Reader) []string {
	var names []string
	current := ""
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		line := lines.Text()
		if match := functionHeader.FindStringSubmatch(line); match != nil {
			current = match[1]
		} else if current != "" && wideRegister.MatchString(line) {
			names = append(names, current)
			current = ""
		}
	}
	return names
}
