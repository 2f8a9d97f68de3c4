// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"errors"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// arguments is memory for the texts, schemas and tables of one call off the hot path; all of it goes with free.
type arguments struct {
	library *library
	pieces  []piece
	objects []*preparation // held over the call
}

type piece struct {
	address uintptr
	bytes   int
}

func (a *arguments) allocate(bytes int) uintptr {
	address := a.library.memory.allocate(bytes)
	a.pieces = append(a.pieces, piece{address, bytes})
	return address
}

func (a *arguments) free() {
	for _, prepared := range a.objects {
		prepared.drop()
	}
	for _, p := range a.pieces {
		a.library.memory.release(p.address, p.bytes)
	}
}

func (a *arguments) text(value string) uintptr {
	address := a.allocate(len(value) + 1)
	copy(span[byte](address, len(value)), value)
	return address // zeroed memory ends it
}

// schema lays out a field; the callee only reads it.
func (a *arguments) schema(field arrow.Field) (uintptr, error) {
	releases := a.library.releases
	block, err := layOutSchema(a.library.memory, field, releases.Schema, releases.SchemaChild)
	if err != nil {
		return 0, err
	}
	a.pieces = append(a.pieces, piece{block.address, block.bytes})
	return block.root(), nil
}

// schemas lays out a table of pointers to the schemas of inputs.
func (a *arguments) schemas(inputs []*arrow.Schema) (uintptr, error) {
	table := a.allocate(8 * len(inputs))
	for i, input := range inputs {
		if input == nil {
			return 0, bridge.ColumnError(bridge.CodeInvalid, "", i, -1, "input schema is nil")
		}
		address, err := a.schema(structField(input))
		if err != nil {
			return 0, atInput(err, i)
		}
		*at[uintptr](table + uintptr(8*i)) = address
	}
	return table, nil
}

// atInput names the input of an error.
func atInput(err error, input int) error {
	var failure *bridge.Error
	if errors.As(err, &failure) {
		failure.Argument = input
	}
	return err
}

// options lays out a table of options.
func (a *arguments) options(options []bridge.Option) (uintptr, error) {
	if len(options) == 0 {
		return 0, nil
	}
	if err := bridge.CheckOptions("", options); err != nil {
		return 0, err
	}
	table := a.allocate(OptionBytes * len(options))
	for i, option := range options {
		place := at[Option](table + uintptr(OptionBytes*i))
		place.Name = a.text(option.Name)
		switch value := option.Value.(type) {
		case int64:
			place.Kind, place.Value = OptionInteger, uint64(value)
		case float64:
			place.Kind, place.Value = OptionReal, math.Float64bits(value)
		case bool:
			place.Kind = OptionBoolean
			if value {
				place.Value = 1
			}
		case string:
			place.Kind, place.TextBytes = OptionText, int64(len(value))
			place.Value = uint64(a.text(value))
		case *object:
			prepared, err := value.use(a.library)
			if err != nil {
				return 0, err
			}
			a.objects = append(a.objects, prepared)
			place.Kind, place.Value = OptionObject, uint64(prepared.native)
		case arrow.DataType:
			address, err := a.schema(arrow.Field{Type: value, Nullable: true})
			if err != nil {
				return 0, err
			}
			place.Kind, place.Value = OptionType, uint64(address)
		default:
			return 0, invalid("option has a value of an unknown kind: " + option.Name)
		}
	}
	return table, nil
}
