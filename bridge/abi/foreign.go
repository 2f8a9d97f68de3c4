// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/ownership/handle"
)

// Foreign holds a C schema and a C array beside it that somebody else made, until they are imported or released.
// C alone says no more of a struct than whether its release is NULL; a Foreign knows whether it was imported or
// released, and refuses a second time with an error that matches bridge.ErrReleased and, of ownership/handle,
// ErrMoved after an import, ErrDoubleRelease or ErrUseAfterRelease after a release. It is safe for concurrent use.
type Foreign struct {
	importer *Importer
	schema   *ArrowSchema
	array    *ArrowArray

	schemaRoot handle.Handle
	arrayRoot  handle.Handle
}

// Receive takes over a C schema and a C array; nobody else may import or release them any more, and their memory
// stays valid until one of the methods has consumed them. A struct whose release is NULL counts as released.
func (im *Importer) Receive(schema *ArrowSchema, a *ArrowArray) (*Foreign, error) {
	switch {
	case a == nil:
		if schema != nil {
			releaseSchema(im.caller, schema)
		}
		return nil, invalid("array is NULL")
	case schema == nil:
		im.refuse(a)
		return nil, invalid("schema is NULL")
	}
	f := &Foreign{importer: im, schema: schema, array: a}
	receive(&f.arrayRoot, arraySubject, a.Release)
	receive(&f.schemaRoot, schemaSubject, schema.Release)
	return f, nil
}

// receive brings a fresh handle into the state of its struct.
func receive(root *handle.Handle, subject *handle.Subject, release uintptr) {
	ownFresh(root, subject)
	if release == 0 {
		_, _ = root.Release() // somebody did
	}
}

// Batch imports the array, a struct, as a record batch, after [Validate] at the level. It consumes both structs,
// on success and on failure. The result is the caller's to release.
func (f *Foreign) Batch(ctx context.Context, level int32) (arrow.RecordBatch, error) {
	c, err := f.claim()
	if err != nil {
		return nil, err
	}
	field, err := c.admit(ctx, level)
	if err != nil {
		return nil, err
	}
	schema, err := batchSchema(field)
	if err != nil {
		c.refuse()
		return nil, err
	}
	layout, err := newLayout(schema)
	if err != nil {
		c.refuse()
		return nil, err
	}
	return c.importer.batch(layout, c.array, nil, &c.arrayRoot)
}

// Array is [Foreign.Batch] for an array of any type.
func (f *Foreign) Array(ctx context.Context, level int32) (arrow.Array, error) {
	c, err := f.claim()
	if err != nil {
		return nil, err
	}
	field, err := c.admit(ctx, level)
	if err != nil {
		return nil, err
	}
	layout, err := newArrayLayout(field.Type)
	if err != nil {
		c.refuse()
		return nil, err
	}
	return c.importer.values(layout, c.array, nil, &c.arrayRoot)
}

// Release gives both structs back to their producer without an import.
func (f *Foreign) Release() error {
	last, err := f.arrayRoot.Release()
	if last {
		f.importer.refuse(f.array)
	}
	if errors.Is(err, handle.ErrMoved) {
		return gone("", "array was imported already", err)
	}
	f.releaseSchema()
	if err != nil {
		return gone("", "array was released already", err)
	}
	return nil
}

// releaseSchema releases the schema, unless that has happened.
func (f *Foreign) releaseSchema() {
	if last, _ := f.schemaRoot.Release(); last {
		releaseSchema(f.importer.caller, f.schema)
	}
}

// claim moves both structs to one import; of several that want them one succeeds. Whoever gets the array decides
// over the schema too.
func (f *Foreign) claim() (*Foreign, error) {
	c := &Foreign{importer: f.importer, schema: f.schema, array: f.array}
	if err := f.arrayRoot.Move(&c.arrayRoot); err != nil {
		if errors.Is(err, handle.ErrMoved) {
			return nil, gone("", "array was imported already", err)
		}
		f.releaseSchema()
		return nil, gone("", "array was released already", err)
	}
	if err := f.schemaRoot.Move(&c.schemaRoot); err != nil {
		c.refuse()
		return nil, gone("", "schema was released already", err)
	}
	return c, nil
}

// admit validates what was claimed and reads the schema, which is released then; what it refuses is consumed.
func (c *Foreign) admit(ctx context.Context, level int32) (arrow.Field, error) {
	if err := Validate(ctx, c.schema, c.array, level); err != nil {
		c.refuse()
		return arrow.Field{}, err
	}
	field, err := ImportField(c.importer.caller, c.schema)
	_, again := c.schemaRoot.Release()
	if err = errors.Join(err, again); err != nil {
		c.refuse()
	}
	return field, err
}

// refuse consumes what was claimed and is still there.
func (c *Foreign) refuse() {
	if last, _ := c.arrayRoot.Release(); last {
		c.importer.refuse(c.array)
	}
	c.releaseSchema()
}
