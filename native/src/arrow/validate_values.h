// SPDX-License-Identifier: Apache-2.0
//
// validate_values.h: the value level of validation, one array at a time.
#pragma once

#include "arrow/format.h"
#include "memory/context.h"

namespace tombolo {
inline namespace v0 {

// What check_values returns when the call was cancelled; compared by address.
extern const char kCheckCancelled[];

// Nulls of an array by its bitmap; 0 without one.
int64_t count_nulls(const ArrowArray* array) noexcept;

// Checks every value of one array whose structure is sound and whose children have passed already.
// type is that of its own buffers. Returns NULL, or a static text for the broken rule.
const char* check_values(const Context& context, const DataType& type, const ArrowSchema* schema,
                         const ArrowArray* array) noexcept;

}  // namespace v0
}  // namespace tombolo
