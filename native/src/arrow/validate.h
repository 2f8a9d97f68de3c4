// SPDX-License-Identifier: Apache-2.0
//
// validate.h: checks of C structs that somebody else filled.
#pragma once

#include "simd/unit.h"

#include <tombolo/host.h>

namespace tombolo {
inline namespace v0 {

// Checks array against schema at a TOMBOLO_VALIDATE level; a NULL array checks the schema alone.
// Reads both, consumes neither. On failure the context's error says which rule is broken and where
// (a path of field positions), and its column is the top-level field, or -1.
//
// No check can tell whether a pointer is good: buffers are taken to be as long as the layout says.
// STRUCTURE reads the last offset of variable-size layouts at most; FULL reads all.
tombolo_status validate(tombolo_context* context, const ArrowSchema* schema,
                        const ArrowArray* array, int32_t level) noexcept;

}  // namespace v0
}  // namespace tombolo
