// SPDX-License-Identifier: Apache-2.0

// Package buildtag turns the module's build tags into constants, so that code tests a constant and
// the compiler drops the branch. It imports nothing.
//
// Under the tag tombolo_debug, owners keep the stack of each creation and release, memory is
// overwritten when it is released, and every address that crosses is checked against the arena and
// the pin table. It costs a factor and is meant for tests.
package buildtag
