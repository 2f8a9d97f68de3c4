// SPDX-License-Identifier: Apache-2.0
//
// release_queue.h: the release callbacks of structs that the host exported, and the list they push
// on.
//
// A host in a language with its own scheduler must not be called from a foreign thread. So a
// release only marks, counts and, when nothing of the block is left with the consumer, hands the
// block back on a lock-free list that the host empties when it comes by.
#pragma once

#include "simd/unit.h"

#include <tombolo/host.h>

namespace tombolo {
inline namespace v0 {

// Release callbacks for ArrowArrays and ArrowSchemas whose private_data is their
// tombolo_export_block. Each releases the struct and what is still in it: children and dictionary
// that were moved out (release NULL) are skipped, those of ours are marked and counted, and a
// callback that somebody put in place of ours is called. They may run on any thread, at once for
// different structs of a block, and at any address the struct was moved to; after they return the
// block may be the host's again.
void release_root(ArrowArray* array) noexcept;
void release_child(ArrowArray* array) noexcept;
void release_schema_root(ArrowSchema* schema) noexcept;
void release_schema_child(ArrowSchema* schema) noexcept;

}  // namespace v0
}  // namespace tombolo
