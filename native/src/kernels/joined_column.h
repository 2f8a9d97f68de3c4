// SPDX-License-Identifier: Apache-2.0
//
// Columns of one type joined to one.
#pragma once

#include "kernels/selected_column.h"

namespace tombolo {
inline namespace v0 {

// Fills out, released before, with the rows of count columns one after another, dictionary
// included: the one that all have, or their distinct ones behind each other with the indices
// shifted to match. position is that of the column, for an error.
Status join_columns(Context& context, const Dispatch& dispatch, const ColumnView* parts,
                    int64_t count, int32_t position, ArrowArray* out) noexcept;

}  // namespace v0
}  // namespace tombolo
