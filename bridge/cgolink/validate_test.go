// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

package cgolink_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"unsafe"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/abi/malformed"
	"github.com/tombolo-arrow/tombolo/bridge/cgolink"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
)

// validator runs the native validation with a context of its own.
type validator struct {
	host    *abi.Host
	context *abi.Context
	text    []byte
}

func newValidator(t testing.TB, mem *arena.Arena) *validator {
	t.Helper()
	entry := cgolink.Entry()
	table := entry.Caller.Call(entry.Host, abi.Version, 0, 0, 0, 0, 0)
	if table == 0 {
		t.Fatal("no host table")
	}
	v := &validator{host: *(**abi.Host)(unsafe.Pointer(&table)), text: mem.Allocate(512)}
	block := mem.Allocate(abi.ContextBytes)
	v.context = (*abi.Context)(unsafe.Pointer(unsafe.SliceData(block)))
	v.context.StructBytes = abi.ContextBytes
	v.context.Error = uintptr(unsafe.Pointer(unsafe.SliceData(v.text)))
	v.context.ErrorBytes = int64(len(v.text))
	t.Cleanup(func() { mem.Free(v.text); mem.Free(block) })
	return v
}

// run returns the code, the text and the column that native validation gives.
func (v *validator) run(tree *malformed.Tree, level int32) (code bridge.Code, text string, column int) {
	status := cgolink.Caller{}.Call(v.host.Validate, uintptr(unsafe.Pointer(v.context)),
		uintptr(unsafe.Pointer(tree.Schema())), uintptr(unsafe.Pointer(tree.Array())),
		uintptr(level), 0, 0)
	if code = bridge.Code(int32(status)); code == 0 {
		return 0, "", -1
	}
	end := bytes.IndexByte(v.text, 0)
	return code, string(v.text[:end]), int(v.context.Column)
}

// nativeTextMax is how much of a text the native side keeps.
const nativeTextMax = 255

// agree fails unless both validators say the same of a tree.
func agree(t *testing.T, v *validator, name string, tree *malformed.Tree) {
	t.Helper()
	for _, level := range []int32{abi.ValidateStructure, abi.ValidateFull} {
		code, text, column := v.run(tree, level)
		want := &bridge.Error{Column: -1}
		err := abi.Validate(context.Background(), tree.Schema(), tree.Array(), level)
		if err != nil && !errors.As(err, &want) {
			t.Fatalf("%s: an untyped error: %v", name, err)
		}
		if len(want.Text) > nativeTextMax {
			want.Text = want.Text[:nativeTextMax]
		}
		if code != want.Code || text != want.Text || column != want.Column {
			t.Errorf("%s, level %d: native says %d %q at column %d, Go says %d %q at column %d",
				name, level, code, text, column, want.Code, want.Text, want.Column)
		}
	}
}

func TestValidatorsAgree(t *testing.T) {
	mem := newValidatorArena(t)
	v := newValidator(t, mem)
	for _, sound := range malformed.SoundArrays() {
		tree := malformed.Build(mem, sound.Node(), 0)
		agree(t, v, sound.Name, tree)
		tree.Free()
	}
	for _, broken := range malformed.Cases() {
		tree := malformed.Build(mem, broken.Node(), 0)
		if broken.Break != nil {
			broken.Break(tree)
		}
		if code, text, _ := v.run(tree, broken.Level); code == 0 {
			t.Errorf("%s: native accepts it", broken.Name)
		} else if full := min(len(broken.Text), nativeTextMax); text != broken.Text[:full] {
			t.Errorf("%s: native says %q, want %q", broken.Name, text, broken.Text)
		}
		agree(t, v, broken.Name, tree)
		tree.Free()
	}
}

func newValidatorArena(t testing.TB) *arena.Arena {
	t.Helper()
	mem, err := arena.New(arena.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		mem.Ledger().VerifyEmpty(t)
		if err := mem.Close(); err != nil {
			t.Error(err)
		}
	})
	return mem
}

// FuzzValidatorsAgree changes sound arrays and compares what the two validators say of them.
func FuzzValidatorsAgree(f *testing.F) {
	mem := newValidatorArena(f)
	v := newValidator(f, mem)
	for i := range len(malformed.SoundArrays()) {
		f.Add([]byte{byte(i)})
		f.Add([]byte{byte(i), byte(i), byte(i), byte(i * 7), byte(31 * i)})
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		tree := malformed.Fuzz(func(node *malformed.Node, cover int) *malformed.Tree {
			return malformed.Build(mem, node, cover)
		}, script)
		defer tree.Free()

		agree(t, v, "mutated", tree)
	})
}
