// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tombolo-arrow/tombolo/ownership/arena"
	"github.com/tombolo-arrow/tombolo/ownership/ledger"
)

// Policy says whether native code may, must or must not be used.
type Policy int

// The policies of Open.
const (
	PreferNative  Policy = iota // the best carrier that opens
	RequireNative               // a native carrier, else an error that names every reason
	ForbidNative                // the portable carrier alone
)

// Config is what a carrier needs to open its library. The zero value of each field but Ledger and Arena is a
// sensible default.
type Config struct {
	Ledger       *ledger.Ledger   // counts what lives; never nil
	Arena        *arena.Arena     // off-heap memory of the engine; never nil
	Allocator    memory.Allocator // for results of the portable carrier; nil = the arena
	SIMDLevel    SIMDLevel        // highest level to use; LevelMax for what the machine has
	BytesMax     int64            // bound on live result bytes of a native library; 0 = none
	PoolBytesMax int64            // bound on result memory kept for reuse; 0 = 64 MiB
	LibraryPath  string           // absolute path of the library to load; "" = as the carrier finds it
}

// Carrier opens a library in one way. Carriers register themselves in an init function.
type Carrier struct {
	Name     string
	Native   bool
	Priority int // higher is tried first
	// Unavailable is why this build cannot carry, with the remedy; empty when it can.
	Unavailable string
	// Remedy is the command or setting that makes the carrier available.
	Remedy string
	Open   func(ctx context.Context, config Config) (Library, error)
}

// Reason says what became of one carrier.
type Reason struct {
	Carrier string
	Chosen  bool
	Text    string // why it was not chosen, or "chosen"
	Remedy  string // what would make it available; may be empty
}

var registry struct {
	sync.Mutex
	carriers []Carrier
}

// Register adds a carrier. It is meant for init functions of carrier packages and panics on a second carrier of
// one name, which is a programming error.
func Register(carrier Carrier) {
	registry.Lock()
	defer registry.Unlock()

	for _, other := range registry.carriers {
		if other.Name == carrier.Name {
			panic("bridge: carrier registered twice: " + carrier.Name)
		}
	}
	registry.carriers = append(registry.carriers, carrier)
	slices.SortStableFunc(registry.carriers, func(a, b Carrier) int { return b.Priority - a.Priority })
}

// Carriers lists the registered carriers, best first. It is safe for concurrent use.
func Carriers() []Carrier {
	registry.Lock()
	defer registry.Unlock()
	return slices.Clone(registry.carriers)
}

// Open opens the best carrier that the policy admits; carrier, when not empty, names the only one wanted. The
// reasons cover every registered carrier, chosen or not, on success and on failure. The library is the caller's
// to close. Errors match ErrUnavailable and wrap what the carriers said.
func Open(ctx context.Context, config Config, policy Policy, carrier string) (Library, []Reason, error) {
	var (
		reasons  []Reason
		failures []error
		chosen   Library
		known    bool
	)
	for _, candidate := range Carriers() {
		reason := Reason{Carrier: candidate.Name, Remedy: candidate.Remedy}
		known = known || candidate.Name == carrier
		switch {
		case chosen != nil:
			reason.Text = "not needed: " + chosen.Info().Carrier + " was taken"
			if candidate.Unavailable != "" {
				reason.Text = candidate.Unavailable
			}
		case carrier != "" && candidate.Name != carrier:
			reason.Text = "not asked for"
		case policy == ForbidNative && candidate.Native:
			reason.Text = "the policy forbids native code"
		case policy == RequireNative && !candidate.Native:
			reason.Text = "the policy requires native code"
		case candidate.Unavailable != "":
			reason.Text = candidate.Unavailable
			text := withRemedy(candidate.Unavailable, candidate.Remedy)
			failures = append(failures, errors.New(candidate.Name+": "+text))
		default:
			library, err := candidate.Open(ctx, config)
			if err != nil {
				reason.Text = err.Error()
				failures = append(failures, fmt.Errorf("%s: %w", candidate.Name, err))
				break
			}
			chosen, reason.Chosen, reason.Text, reason.Remedy = library, true, "chosen", ""
		}
		reasons = append(reasons, reason)
	}
	if carrier != "" && !known {
		failures = append(failures, errors.New("no carrier of this name is linked in: "+carrier))
	}
	if chosen == nil {
		return nil, reasons, errors.Join(append([]error{ErrUnavailable}, failures...)...)
	}
	return chosen, reasons, nil
}

func withRemedy(text, remedy string) string {
	if remedy == "" {
		return text
	}
	return text + "; " + remedy
}
