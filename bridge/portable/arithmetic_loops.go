// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// The loops go over all 64 rows, those under a null too: integers wrap without harm, and a divisor of zero is
// replaced. What may be a failure is gathered in the sign bit of one value and looked at again row by row.

type signed interface {
	int8 | int16 | int32 | int64
}

type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

func signedLoop[T signed](op arithmetic, checked bool) arithmeticLoop[T] {
	switch op {
	case arithmeticAdd:
		return arithmeticLoop[T]{addSigned[T](checked), func(a, b T) bridge.Code {
			return overflowIf((a^(a+b))&(b^(a+b)) < 0)
		}}
	case arithmeticSubtract:
		return arithmeticLoop[T]{subtractSigned[T](checked), func(a, b T) bridge.Code {
			return overflowIf((a^b)&(a^(a-b)) < 0)
		}}
	case arithmeticDivide:
		return arithmeticLoop[T]{divideSigned[T], func(a, b T) bridge.Code {
			if b == 0 {
				return bridge.CodeDivideByZero
			}
			return overflowIf(checked && b == -1 && a == -a && a != 0)
		}}
	default:
		return arithmeticLoop[T]{absSigned[T], func(a, _ T) bridge.Code {
			return overflowIf(checked && a == -a && a != 0)
		}}
	}
}

func overflowIf(overflow bool) bridge.Code {
	if overflow {
		return bridge.CodeOverflow
	}
	return 0
}

func addSigned[T signed](checked bool) func(out, left, right *[wordRows]T) bool {
	if !checked {
		return addWrapping[T]
	}
	return func(out, left, right *[wordRows]T) bool {
		var overflow T
		for i := range out {
			a, b := left[i], right[i]
			sum := a + b
			out[i] = sum
			overflow |= (a ^ sum) & (b ^ sum)
		}
		return overflow < 0
	}
}

func subtractSigned[T signed](checked bool) func(out, left, right *[wordRows]T) bool {
	if !checked {
		return subtractWrapping[T]
	}
	return func(out, left, right *[wordRows]T) bool {
		var overflow T
		for i := range out {
			a, b := left[i], right[i]
			difference := a - b
			out[i] = difference
			overflow |= (a ^ b) & (a ^ difference)
		}
		return overflow < 0
	}
}

func divideSigned[T signed](out, left, right *[wordRows]T) bool {
	suspect := false
	for i := range out {
		a, b := left[i], right[i]
		if b == 0 || b == -1 {
			// -a is a / -1 with the wrap that MIN needs; for zero the value does not matter.
			suspect = true
			out[i] = -a
			continue
		}
		out[i] = a / b
	}
	return suspect
}

func absSigned[T signed](out, left, _ *[wordRows]T) bool {
	var negative T
	for i := range out {
		a := left[i]
		if a < 0 {
			a = -a
		}
		out[i] = a
		negative |= a // only MIN stays negative
	}
	return negative < 0
}

func unsignedLoop[T unsigned](op arithmetic, checked bool) arithmeticLoop[T] {
	switch op {
	case arithmeticAdd:
		return arithmeticLoop[T]{addUnsigned[T](checked), func(a, b T) bridge.Code {
			return overflowIf(a+b < a)
		}}
	case arithmeticSubtract:
		return arithmeticLoop[T]{subtractUnsigned[T](checked), func(a, b T) bridge.Code {
			return overflowIf(a < b)
		}}
	case arithmeticDivide:
		return arithmeticLoop[T]{divideUnsigned[T], func(_, b T) bridge.Code {
			if b == 0 {
				return bridge.CodeDivideByZero
			}
			return 0
		}}
	default:
		return arithmeticLoop[T]{loop: func(out, left, _ *[wordRows]T) bool {
			*out = *left
			return false
		}}
	}
}

func addUnsigned[T unsigned](checked bool) func(out, left, right *[wordRows]T) bool {
	if !checked {
		return addWrapping[T]
	}
	return func(out, left, right *[wordRows]T) bool {
		var carry T
		for i := range out {
			a, b := left[i], right[i]
			sum := a + b
			out[i] = sum
			carry |= a&b | (a|b)&^sum
		}
		return carry > ^T(0)>>1
	}
}

func subtractUnsigned[T unsigned](checked bool) func(out, left, right *[wordRows]T) bool {
	if !checked {
		return subtractWrapping[T]
	}
	return func(out, left, right *[wordRows]T) bool {
		var borrow T
		for i := range out {
			a, b := left[i], right[i]
			difference := a - b
			out[i] = difference
			borrow |= ^a&b | ^(a^b)&difference
		}
		return borrow > ^T(0)>>1
	}
}

func divideUnsigned[T unsigned](out, left, right *[wordRows]T) bool {
	suspect := false
	for i := range out {
		b := right[i]
		if b == 0 {
			suspect = true
			b = 1
		}
		out[i] = left[i] / b
	}
	return suspect
}

func addWrapping[T signed | unsigned](out, left, right *[wordRows]T) bool {
	for i := 0; i < wordRows; i += 4 {
		o, a, b := (*[4]T)(out[i:]), (*[4]T)(left[i:]), (*[4]T)(right[i:])
		o[0], o[1], o[2], o[3] = a[0]+b[0], a[1]+b[1], a[2]+b[2], a[3]+b[3]
	}
	return false
}

func subtractWrapping[T signed | unsigned](out, left, right *[wordRows]T) bool {
	for i := 0; i < wordRows; i += 4 {
		o, a, b := (*[4]T)(out[i:]), (*[4]T)(left[i:]), (*[4]T)(right[i:])
		o[0], o[1], o[2], o[3] = a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
	}
	return false
}

// canonicalNaN is the NaN of every result that is one: which payload an addition keeps depends on how a compiler
// ordered its operands.
const (
	canonicalNaN32 = 0x7fc00000
	canonicalNaN64 = 0x7ff8000000000000
)

func float64Loop(op arithmetic) arithmeticLoop[float64] {
	if op == arithmeticAbs {
		return arithmeticLoop[float64]{loop: func(out, left, _ *[wordRows]float64) bool {
			for i := range out {
				out[i] = math.Abs(left[i])
			}
			return false
		}}
	}
	return arithmeticLoop[float64]{loop: floatLoop[float64](op, func(out *[wordRows]float64) {
		for i, v := range out {
			if v != v {
				out[i] = math.Float64frombits(canonicalNaN64)
			}
		}
	}), fault: noFault[float64]}
}

func float32Loop(op arithmetic) arithmeticLoop[float32] {
	if op == arithmeticAbs {
		return arithmeticLoop[float32]{loop: func(out, left, _ *[wordRows]float32) bool {
			for i := range out {
				out[i] = math.Float32frombits(math.Float32bits(left[i]) &^ (1 << 31))
			}
			return false
		}}
	}
	return arithmeticLoop[float32]{loop: floatLoop[float32](op, func(out *[wordRows]float32) {
		for i, v := range out {
			if v != v {
				out[i] = math.Float32frombits(canonicalNaN32)
			}
		}
	}), fault: noFault[float32]}
}

func noFault[T any](_, _ T) bridge.Code { return 0 }

func floatLoop[T float32 | float64](
	op arithmetic, canonical func(out *[wordRows]T),
) func(out, left, right *[wordRows]T) bool {
	var loop func(out, left, right *[wordRows]T)
	switch op {
	case arithmeticAdd:
		loop = func(out, left, right *[wordRows]T) {
			for i := range out {
				out[i] = left[i] + right[i]
			}
		}
	case arithmeticSubtract:
		loop = func(out, left, right *[wordRows]T) {
			for i := range out {
				out[i] = left[i] - right[i]
			}
		}
	default:
		loop = func(out, left, right *[wordRows]T) {
			for i := range out {
				out[i] = left[i] / right[i]
			}
		}
	}
	return func(out, left, right *[wordRows]T) bool {
		loop(out, left, right)
		var zero T
		for i := 0; i < wordRows; i += 4 {
			o := (*[4]T)(out[i:])
			// A NaN times zero is NaN, and so is an infinity: both are rare.
			zero += (o[0]*0 + o[1]*0) + (o[2]*0 + o[3]*0)
		}
		if zero != 0 {
			canonical(out)
		}
		return false
	}
}
