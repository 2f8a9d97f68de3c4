// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

// Unity file: what is compiled once of each kernel family.
#include "../../native/src/kernels/object.cc"
#include "../../native/src/kernels/options.cc"
#include "../../native/src/kernels/registry.cc"
#include "../../native/src/kernels/touch.cc"
