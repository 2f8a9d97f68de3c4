// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"fmt"

	"github.com/tombolo-arrow/tombolo/bridge"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// Error is a failed kernel call: code, kernel, input and column, never a data value.
type Error = bridge.Error

// Sentinels for errors.Is; they are those of package bridge, so that a program imports one package.
var (
	ErrInvalid      = bridge.ErrInvalid      // an argument breaks the contract
	ErrType         = bridge.ErrType         // the kernel does not take this type
	ErrUnsupported  = bridge.ErrUnsupported  // known, but not built here
	ErrMemory       = bridge.ErrMemory       // the allocator has no more
	ErrBudget       = bridge.ErrBudget       // a byte bound was reached
	ErrCancelled    = bridge.ErrCancelled    // the context ended; also matches its error
	ErrOverflow     = bridge.ErrOverflow     // checked arithmetic or a safe cast
	ErrDivideByZero = bridge.ErrDivideByZero // integer division by zero
	ErrIndex        = bridge.ErrIndex        // take or dictionary index out of range
	ErrReleased     = bridge.ErrReleased     // used after release
	ErrInternal     = bridge.ErrInternal     // a bug of ours; it poisons the engine
	ErrClosed       = bridge.ErrClosed       // the engine is closed
	ErrUnknown      = bridge.ErrUnknown      // no kernel or object kind of this name
	ErrUnavailable  = bridge.ErrUnavailable  // no carrier satisfies the policy
	ErrNeedInput    = bridge.ErrNeedInput    // an emitter needs a push first

	// ErrPoisoned says that an earlier call broke an invariant: nothing the engine computes can be
	// trusted any more. Open another one, and please report the first error.
	ErrPoisoned = errors.New("engine is poisoned by an earlier internal error")

	// ErrOutstanding says that a closed engine has objects out. See [OutstandingError].
	ErrOutstanding = errors.New("engine closed with objects still out")
)

// OutstandingError is what Close returns when something of the engine was not released. The engine
// is closed all the same, and what is out stays valid until it is released.
type OutstandingError struct {
	Snapshot ledger.Snapshot
}

// Error names the kinds that are out, with counts and bytes.
func (e *OutstandingError) Error() string {
	text, separator := ErrOutstanding.Error(), ": "
	for _, entry := range e.Snapshot {
		if entry.Objects != 0 || entry.Bytes != 0 {
			text += fmt.Sprintf("%s%d %v with %d bytes",
				separator, entry.Objects, entry.Kind, entry.Bytes)
			separator = ", "
		}
	}
	return text
}

// Unwrap returns ErrOutstanding.
func (e *OutstandingError) Unwrap() error { return ErrOutstanding }
