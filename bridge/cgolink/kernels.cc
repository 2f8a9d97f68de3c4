// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

// Unity file: what is compiled once of each kernel family.
#include "../../native/src/geo/geo.cc"
#include "../../native/src/kernels/aggregate.cc"
#include "../../native/src/kernels/aggregate_cells.cc"
#include "../../native/src/kernels/arithmetic.cc"
#include "../../native/src/kernels/bytes_block.cc"
#include "../../native/src/kernels/cast.cc"
#include "../../native/src/kernels/compare.cc"
#include "../../native/src/kernels/group_by.cc"
#include "../../native/src/kernels/hash_table.cc"
#include "../../native/src/kernels/index_in.cc"
#include "../../native/src/kernels/index_rows.cc"
#include "../../native/src/kernels/kept_rows.cc"
#include "../../native/src/kernels/key_set.cc"
#include "../../native/src/kernels/object.cc"
#include "../../native/src/kernels/operands.cc"
#include "../../native/src/kernels/options.cc"
#include "../../native/src/kernels/pair_set.cc"
#include "../../native/src/kernels/registry.cc"
#include "../../native/src/kernels/selected_column.cc"
#include "../../native/src/kernels/selection.cc"
#include "../../native/src/kernels/temporal.cc"
#include "../../native/src/kernels/touch.cc"
#include "../../native/src/kernels/value_set.cc"
