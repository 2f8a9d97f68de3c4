// SPDX-License-Identifier: Apache-2.0

//go:build !unix && !windows

package arena

// Systems without virtual memory have no arena: New fails with ErrUnsupported, and the functions
// after it are never reached.

func reserve(bytes uintptr) (uintptr, error) { return 0, ErrUnsupported }

func unreserve(base, bytes uintptr) {}

func commit(base, bytes uintptr) error { return ErrUnsupported }

func protect(base, bytes uintptr) error { return ErrUnsupported }

func decommit(base, bytes uintptr) error { return ErrUnsupported }
