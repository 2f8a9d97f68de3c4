// SPDX-License-Identifier: Apache-2.0

package malformed

import "github.com/tombolo-arrow/tombolo/bridge/abi"

// Case is an array that breaks one rule.
type Case struct {
	Name string
	Node func() *Node
	// Break changes the built structs; nil when the node is broken by itself.
	Break func(t *Tree)
	// Level is the lowest level that refuses it.
	Level int32
	// Text is the rule and the place, as both validators word it.
	Text string
}

// two is a struct of an int32 and a utf8 column.
func two() *Node { return structs(numbers(1, 2, 3), narrowTexts()) }

// Cases is the table: the structural list first, then the value level.
func Cases() []Case {
	cases := append([]Case{}, structuralCases...)
	cases = append(append(cases, formatCases()...), nestedCases...)
	return append(cases, valueCases...)
}

// at makes a structural case out of a change to the struct at position i of the two trees.
func at(name string, node func() *Node, i int, text string,
	change func(t *Tree, s *abi.ArrowSchema, a *abi.ArrowArray)) Case {
	return Case{name, node, func(t *Tree) { change(t, t.Schemas[i], t.Arrays[i]) },
		abi.ValidateStructure, text}
}

// refused makes a case of a node that is broken at its root.
func refused(level int32) func(name, text string, node func() *Node) Case {
	return func(name, text string, node func() *Node) Case {
		return Case{name, node, nil, level, text + ", at the root"}
	}
}

var (
	broken = refused(abi.ValidateStructure)
	lying  = refused(abi.ValidateFull)
)
