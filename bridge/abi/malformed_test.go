// SPDX-License-Identifier: Apache-2.0

package abi_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/bridge/abi"
	"github.com/tombolo-arrow/tombolo/bridge/abi/malformed"
	"github.com/tombolo-arrow/tombolo/ownership/arena"
)

// The carriers' tests run the native validator on the same table; see package malformed.

func newArena(t testing.TB) *arena.Arena {
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

func TestSoundArraysPass(t *testing.T) {
	mem := newArena(t)
	for _, sound := range malformed.SoundArrays() {
		for _, level := range []int32{abi.ValidateStructure, abi.ValidateFull} {
			tree := malformed.Build(mem, sound.Node(), 0)
			if err := abi.Validate(context.Background(), tree.Schema(), tree.Array(), level); err != nil {
				t.Errorf("%s, level %d: %v", sound.Name, level, err)
			}
			if err := abi.Validate(context.Background(), tree.Schema(), nil, level); err != nil {
				t.Errorf("schema of %s, level %d: %v", sound.Name, level, err)
			}
			tree.Free()
		}
	}
}

func TestMalformedArraysAreRefused(t *testing.T) {
	mem := newArena(t)
	for _, broken := range malformed.Cases() {
		tree := malformed.Build(mem, broken.Node(), 0)
		if broken.Break != nil {
			broken.Break(tree)
		}
		for _, level := range []int32{abi.ValidateStructure, abi.ValidateFull} {
			err := abi.Validate(context.Background(), tree.Schema(), tree.Array(), level)
			if level < broken.Level {
				if err != nil {
					t.Errorf("%s: refused below its level: %v", broken.Name, err)
				}
				continue
			}
			var failure *bridge.Error
			if !errors.As(err, &failure) || failure.Text != broken.Text {
				t.Errorf("%s, level %d: got %v, want %q", broken.Name, level, err, broken.Text)
			} else if !errors.Is(err, bridge.ErrInvalid) && !errors.Is(err, bridge.ErrReleased) {
				t.Errorf("%s, level %d: code %d", broken.Name, level, failure.Code)
			}
		}
		tree.Free()
	}
}

func TestValidationNamesTheColumn(t *testing.T) {
	mem := newArena(t)
	for name, want := range map[string]int{"NULL offsets": 1, "NULL values": 0, "NULL child": -1,
		"broken dictionary": -1} {
		for _, broken := range malformed.Cases() {
			if broken.Name != name {
				continue
			}
			tree := malformed.Build(mem, broken.Node(), 0)
			broken.Break(tree)
			err := abi.Validate(context.Background(), tree.Schema(), tree.Array(), abi.ValidateFull)
			var failure *bridge.Error
			if !errors.As(err, &failure) || failure.Column != want {
				t.Errorf("%s: got %v, want column %d", name, err, want)
			}
			tree.Free()
		}
	}
}

func TestValidationStopsWhenCancelled(t *testing.T) {
	mem := newArena(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tree := malformed.Build(mem, &malformed.Node{Format: "u", Length: 1,
		Buffers: [][]byte{nil, malformed.Values[int32](0, 1), []byte("a")}}, 0)
	defer tree.Free()

	err := abi.Validate(ctx, tree.Schema(), tree.Array(), abi.ValidateFull)
	if !errors.Is(err, bridge.ErrCancelled) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := abi.Validate(ctx, tree.Schema(), tree.Array(), 3); !errors.Is(err, bridge.ErrInvalid) {
		t.Errorf("level 3: got %v", err)
	}
}

// TestMetadataBoundIsOne reads metadata at the bound and one byte over it by validation and by import.
func TestMetadataBoundIsOne(t *testing.T) {
	mem := newArena(t)
	for over, want := range []error{nil, bridge.ErrInvalid} {
		// A count, a length, a key of zeros, and the length 0 of the value.
		metadata := make([]byte, abi.ValidateMetadataBytesMax+4+over)
		copy(metadata, malformed.Values[int32](1, int32(len(metadata)-12)))
		tree := malformed.Build(mem, &malformed.Node{Format: "n", Metadata: metadata}, 0)
		tree.Schema().Release = releaseSchema
		err := abi.Validate(context.Background(), tree.Schema(), nil, abi.ValidateStructure)
		if !errors.Is(err, want) {
			t.Errorf("%d over: validation says %v, want %v", over, err, want)
		}
		if _, err := abi.ImportField(&producer{t: t}, tree.Schema()); !errors.Is(err, want) {
			t.Errorf("%d over: import says %v, want %v", over, err, want)
		}
		tree.Free()
	}
}
