// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

// Unity file: entry points, C structs, memory.
#include "../../native/src/abi/host.cc"
#include "../../native/src/abi/library.cc"
#include "../../native/src/arrow/format.cc"
#include "../../native/src/arrow/output.cc"
#include "../../native/src/arrow/schema.cc"
#include "../../native/src/arrow/utf8.cc"
#include "../../native/src/arrow/validate.cc"
#include "../../native/src/arrow/validate_values.cc"
#include "../../native/src/arrow/validity.cc"
#include "../../native/src/arrow/view.cc"
#include "../../native/src/memory/allocator.cc"
#include "../../native/src/memory/block.cc"
#include "../../native/src/memory/context.cc"
#include "../../native/src/memory/release_queue.cc"
#include "../../native/src/simd/dispatch.cc"
