// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"fmt"
	"strconv"
	"strings"
)

// Case is a parsed case name: family/what/key=value/..., where a family of one thing has no what. Scripts read these
// names, so they do not change.
type Case struct {
	Name   string
	Family string
	What   string
	keys   map[string]string
}

// ParseCase splits a case name.
func ParseCase(name string) (Case, error) {
	parts := strings.Split(name, "/")
	parsed := Case{Name: name, Family: parts[0], keys: map[string]string{}}
	parts = parts[1:]
	if len(parts) > 0 && !strings.Contains(parts[0], "=") {
		parsed.What, parts = parts[0], parts[1:]
	}
	for _, part := range parts {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return Case{}, fmt.Errorf("no key=value: %q in %q", part, name)
		}
		parsed.keys[key] = value
	}
	return parsed, nil
}

// Int returns the number of a key, or otherwise when the case does not have the key or it is no number.
func (c Case) Int(key string, otherwise int) int {
	if value, err := strconv.Atoi(c.keys[key]); err == nil {
		return value
	}
	return otherwise
}

// Text returns the text of a key, or otherwise when the case does not have it.
func (c Case) Text(key, otherwise string) string {
	if value, ok := c.keys[key]; ok {
		return value
	}
	return otherwise
}
