// SPDX-License-Identifier: Apache-2.0

//go:build !cgo && linux && (amd64 || arm64)

package crossing

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/ebitengine/purego"

	"github.com/tombolo-arrow/tombolo/bridge/dlopen"
)

// How an array is released; see consumer.h.
const (
	Whole = iota
	ChildrenLast
	ChildrenFirst
)

// loaded is the consumer as a shared library of its own: a program without cgo meets C threads only that way.
type loaded struct {
	take, give, start, stop, sum uintptr
}

var consumer = sync.OnceValue(func() loaded {
	folder, err := os.MkdirTemp("", "tombolo-consumer")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)

	path := filepath.Join(folder, "consumer.so")
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	compile := exec.Command(compiler, "-std=c11", "-O2", "-D_DEFAULT_SOURCE", "-fPIC", "-shared", "-pthread",
		"-I../../native/include", "consumer.c", "-o", path)
	if output, err := compile.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("compiling the consumer: %v\n%s", err, output))
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		panic(err)
	}
	symbol := func(name string) uintptr {
		address, err := purego.Dlsym(handle, name)
		if err != nil {
			panic(err)
		}
		return address
	}
	return loaded{
		symbol("consumer_take"), symbol("consumer_give"), symbol("consumer_start"), symbol("consumer_stop"),
		symbol("consumer_sum"),
	}
})

func call(function uintptr, a0, a1 uintptr) uintptr {
	return dlopen.Caller{}.Call(function, a0, a1, 0, 0, 0, 0)
}

// Take reads and releases an array on this thread, and returns the sum of the first bytes of its buffers.
func Take(address uintptr, how int) uint64 {
	return uint64(call(consumer().take, address, uintptr(how)))
}

// Give moves an array to a foreign thread.
func Give(address uintptr, how int) { call(consumer().give, address, uintptr(how)) }

// Start starts the foreign threads.
func Start(threads int) bool { return int32(call(consumer().start, uintptr(threads), 0)) == 0 }

// Stop waits until the foreign threads have released everything, and ends them.
func Stop() { call(consumer().stop, 0, 0) }

// Sum is what the foreign threads have read.
func Sum() uint64 { return uint64(call(consumer().sum, 0, 0)) }
