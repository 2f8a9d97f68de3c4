// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// options reads the options of one Bind or Prepare. Accessors return whether the option is there;
// each marks it as read, and what nobody read is refused at the end.
type options struct {
	owner string
	given []bridge.Option
	read  []bool
	held  []*handleCore
}

// readOptions checks what holds for every kernel: names and kinds of values.
func readOptions(owner string, given []bridge.Option) (*options, error) {
	if err := bridge.CheckOptions(owner, given); err != nil {
		return nil, err
	}
	for _, option := range given {
		switch value := option.Value.(type) {
		case int64, float64, string, bool:
		case arrow.DataType:
		case bridge.Object:
			if _, ok := value.(*handle); !ok {
				return nil, bridge.NewError(bridge.CodeInvalid, owner,
					"the object was prepared by another library: option "+option.Name)
			}
		default:
			return nil, bridge.NewError(bridge.CodeInvalid, owner,
				"the value has a Go type that options do not take: option "+option.Name)
		}
	}
	return &options{owner: owner, given: given, read: make([]bool, len(given))}, nil
}

// integer gives the int64 of an option that appears at most once.
func (o *options) integer(name string) (value int64, found bool, err error) {
	return single[int64](o, name)
}

// real gives the float64 of an option that appears at most once.
func (o *options) real(name string) (value float64, found bool, err error) {
	return single[float64](o, name)
}

// text gives the string of an option that appears at most once.
func (o *options) text(name string) (value string, found bool, err error) {
	return single[string](o, name)
}

// boolean gives the bool of an option that appears at most once.
func (o *options) boolean(name string) (value, found bool, err error) {
	return single[bool](o, name)
}

// dataType gives the type of an option that appears at most once.
func (o *options) dataType(name string) (value arrow.DataType, found bool, err error) {
	return single[arrow.DataType](o, name)
}

// integers gives every int64 of a name, in order.
func (o *options) integers(name string) ([]int64, error) { return all[int64](o, name) }

// texts gives every string of a name, in order.
func (o *options) texts(name string) ([]string, error) { return all[string](o, name) }

// object gives the prepared object of an option that appears at most once. It stays valid as long
// as the bound kernel and its states: the frame holds it for them.
func (o *options) object(name, kind string) (value object, found bool, err error) {
	given, found, err := single[bridge.Object](o, name)
	if err != nil || !found {
		return nil, found, err
	}
	h := given.(*handle)
	if h.core.kind != kind {
		return nil, true, o.fail(bridge.CodeInvalid, "the object is of another kind: option "+name)
	}
	if !h.retain() {
		return nil, true, o.fail(bridge.CodeReleased, "the object was released: option "+name)
	}
	o.held = append(o.held, h.core)
	return h.core.value, true, nil
}

// unread refuses the first option that no accessor asked for.
func (o *options) unread() error {
	for i, read := range o.read {
		if !read {
			return o.fail(bridge.CodeInvalid, "unknown option: "+o.given[i].Name)
		}
	}
	return nil
}

func (o *options) releaseObjects() {
	for _, core := range o.held {
		core.release()
	}
	o.held = nil
}

func (o *options) fail(code bridge.Code, text string) error {
	return bridge.NewError(code, o.owner, text)
}

func single[T any](o *options, name string) (value T, found bool, err error) {
	for i, option := range o.given {
		if option.Name != name {
			continue
		}
		if found {
			return value, true, o.fail(bridge.CodeInvalid, "given more than once: option "+name)
		}
		o.read[i], found = true, true
		v, ok := option.Value.(T)
		if !ok {
			return value, true, o.fail(bridge.CodeInvalid,
				"the value has the wrong kind: option "+name)
		}
		value = v
	}
	return value, found, nil
}

func all[T any](o *options, name string) ([]T, error) {
	var values []T
	for i, option := range o.given {
		if option.Name != name {
			continue
		}
		o.read[i] = true
		value, ok := option.Value.(T)
		if !ok {
			return nil, o.fail(bridge.CodeInvalid, "the value has the wrong kind: option "+name)
		}
		values = append(values, value)
	}
	return values, nil
}
