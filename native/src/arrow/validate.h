// SPDX-License-Identifier: Apache-2.0
//
// validate.h: checks of C structs that somebody else filled.
#pragma once

#include "simd/unit.h"

#include <tombolo/host.h>

namespace tombolo {
inline namespace v0 {

// Levels of nesting, dictionaries included, and structs of one array: more is refused.
inline constexpr int32_t kDepthMax = 64;
inline constexpr int64_t kStructsMax = int64_t{1} << 20;

// Key-value pairs and bytes of one field's metadata, whose end nothing but its content tells.
inline constexpr int32_t kMetadataPairsMax = 1 << 16;
inline constexpr int64_t kMetadataBytesMax = int64_t{1} << 24;

// Checks array against schema at a TOMBOLO_VALIDATE level; a NULL array checks the schema alone.
// Reads both, consumes neither. On failure the context's error says which rule is broken and where,
// as a path of child positions from the root, and its column is the top-level field, or -1.
//
// No check can tell whether a pointer is good: buffers are taken to be as long as the layout says.
// Of values the structure level reads the two ends of offset buffers and the sizes of variadic
// buffers, since the extents of other memory follow from them; the full level reads all.
tombolo_status validate(tombolo_context* context, const ArrowSchema* schema,
                        const ArrowArray* array, int32_t level) noexcept;

}  // namespace v0
}  // namespace tombolo
