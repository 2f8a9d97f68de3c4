// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
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
	if amd64, err := isAMD64(path); err != nil || !amd64 {
		return faults, err // one SIMD level, and no wider registers to look for
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

// isAMD64 looks at the machine of the archive's first object. The objdump of one machine does not read another's code.
func isAMD64(path string) (bool, error) {
	archive, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	start := bytes.Index(archive, []byte(elf.ELFMAG))
	if start < 0 {
		return false, fmt.Errorf("%s: no ELF object in the archive", path)
	}
	file, err := elf.NewFile(bytes.NewReader(archive[start:]))
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	return file.Machine == elf.EM_X86_64, nil
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
