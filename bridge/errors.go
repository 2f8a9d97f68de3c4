// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"errors"
	"strconv"
	"strings"
)

// Code is the outcome of a kernel call; the numbers are those of native/include/tombolo/library.h.
type Code int32

// The codes of library.h. Each has a sentinel below for errors.Is.
const (
	CodeInvalid      Code = 1
	CodeType         Code = 2
	CodeUnsupported  Code = 3
	CodeMemory       Code = 4
	CodeBudget       Code = 5
	CodeCancelled    Code = 6
	CodeOverflow     Code = 7
	CodeDivideByZero Code = 8
	CodeIndex        Code = 9
	CodeReleased     Code = 10
	CodeInternal     Code = 11
)

// Sentinels for errors.Is. Every [Error] matches the one of its code.
var (
	ErrInvalid      = errors.New("invalid argument")                   // a bad argument, option or array
	ErrType         = errors.New("type not supported by the kernel")   // the kernel does not take this type
	ErrUnsupported  = errors.New("not supported")                      // known, but not built here
	ErrMemory       = errors.New("out of memory")                      // the allocator has no more
	ErrBudget       = errors.New("byte budget exceeded")               // a bound of the caller's was reached
	ErrCancelled    = errors.New("cancelled")                          // the context ended; also matches its error
	ErrOverflow     = errors.New("value does not fit its result type") // checked arithmetic or a safe cast
	ErrDivideByZero = errors.New("integer division by zero")           // checked and unchecked division alike
	ErrIndex        = errors.New("index outside its values")           // take and dictionary indices
	ErrReleased     = errors.New("used after release")                 // an input was released already
	ErrInternal     = errors.New("broken invariant of the library")    // a bug: please report it
	ErrClosed       = errors.New("library is closed")                  // a method after Close
	ErrKind         = errors.New("kernel is of another kind")          // Run on an accumulate kernel, and so on
	ErrUnknown      = errors.New("no kernel of this name")             // Bind and Prepare
	ErrNeedInput    = errors.New("the emitter needs a push first")     // Emitter.Next
	ErrUnavailable  = errors.New("no carrier satisfies the policy")    // Open
)

var sentinels = map[Code]error{
	CodeInvalid: ErrInvalid, CodeType: ErrType, CodeUnsupported: ErrUnsupported, CodeMemory: ErrMemory,
	CodeBudget: ErrBudget, CodeCancelled: ErrCancelled, CodeOverflow: ErrOverflow,
	CodeDivideByZero: ErrDivideByZero, CodeIndex: ErrIndex, CodeReleased: ErrReleased, CodeInternal: ErrInternal,
}

// Error is a failed kernel call. It names the kernel, the input and the column, and never a data value. Argument
// and Column are -1 where they do not apply.
type Error struct {
	Code     Code
	Kernel   string
	Argument int // position of the input batch
	Column   int // position of the column in it
	Text     string
	Cause    error // the context's error of a cancelled call, the handle's of a released struct, or nil
}

// Error gives static text first and positions last.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Kernel != "" {
		b.WriteString(e.Kernel)
		b.WriteString(": ")
	}
	if sentinel := sentinels[e.Code]; sentinel != nil {
		b.WriteString(sentinel.Error())
	} else {
		b.WriteString("status " + strconv.Itoa(int(e.Code)))
	}
	if e.Text != "" {
		b.WriteString(": ")
		b.WriteString(e.Text)
	}
	if e.Argument > 0 {
		b.WriteString(", input " + strconv.Itoa(e.Argument))
	}
	if e.Column >= 0 {
		b.WriteString(", column " + strconv.Itoa(e.Column))
	}
	return b.String()
}

// Is matches the sentinel of the code.
func (e *Error) Is(target error) bool { return sentinels[e.Code] == target && target != nil }

// Unwrap returns the cause, so that a cancelled call matches context.Canceled too, and one on a released
// struct the sentinels of ownership/handle.
func (e *Error) Unwrap() error { return e.Cause }

// NewError makes an Error without position. Text holds no data values.
func NewError(code Code, kernel, text string) *Error {
	return &Error{Code: code, Kernel: kernel, Argument: -1, Column: -1, Text: text}
}

// CheckOptions refuses texts that a C string would cut: every library takes the same ones.
func CheckOptions(kernel string, options []Option) error {
	for _, option := range options {
		text, _ := option.Value.(string)
		if strings.ContainsRune(option.Name, 0) || strings.ContainsRune(text, 0) {
			return NewError(CodeInvalid, kernel, "an option holds a zero byte")
		}
	}
	return nil
}

// ColumnError makes an Error at a column of input argument. Text holds no data values.
func ColumnError(code Code, kernel string, argument, column int, text string) *Error {
	return &Error{Code: code, Kernel: kernel, Argument: argument, Column: column, Text: text}
}
