// SPDX-License-Identifier: Apache-2.0
//
// Arrays under construction. An array is releasable from the moment that it is opened: a kernel
// that fails releases what it has and is done.
#pragma once

#include "arrow/view.h"

namespace tombolo {
inline namespace v0 {

// Opens an array with room for its buffers (all NULL), children (all released) and, when asked, a
// dictionary (released). length, null_count and offset are zero. On failure out->release is NULL.
Status open_array(Context& context, ArrowArray* out, int64_t buffer_count, int64_t child_count = 0,
                  bool dictionary = false) noexcept;

// Opens the struct array of a record batch: one NULL validity buffer and column_count columns.
Status open_batch(Context& context, ArrowArray* out, int64_t rows, int64_t column_count) noexcept;

// Allocates size_bytes for buffer slot of an open array, owned by it; NULL with *status set on
// failure. Not zeroed; call pad_buffer when its used length is known.
void* array_buffer(Context& context, ArrowArray* array, int64_t slot, int64_t size_bytes,
                   Status* status) noexcept;

// Gives memory that a Buffer owns to slot of an open array.
void adopt_buffer(ArrowArray* array, int64_t slot, Buffer&& buffer) noexcept;

// Frees a buffer of slot and leaves NULL: a validity bitmap that turned out to have no null.
void drop_buffer(ArrowArray* array, int64_t slot) noexcept;

// Zeroes from used_bytes to the next multiple of 64; the slack behind an allocation has the room.
inline void pad_buffer(void* data, int64_t used_bytes) noexcept {
  const int64_t end = (used_bytes + 63) & ~int64_t{63};
  memset(static_cast<char*>(data) + used_bytes, 0, static_cast<size_t>(end - used_bytes));
}

constexpr int64_t bitmap_bytes(int64_t bits) noexcept { return (bits + 7) / 8; }

// Makes out an array over the same memory as source, all of it, kept alive by keeper, which is
// retained once for each array of the tree.
Status share_array(Context& context, ArrowArray* out, const ArrowArray* source,
                   tombolo_object* keeper) noexcept;

}  // namespace v0
}  // namespace tombolo
