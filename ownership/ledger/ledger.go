// SPDX-License-Identifier: Apache-2.0

// Package ledger counts what an engine has out: live objects and bytes by kind.
package ledger

// Ledger counts live objects and bytes by kind for one engine.
type Ledger struct{}
