// SPDX-License-Identifier: Apache-2.0
//
// The geo family for one level.
// clang-format off
#include "geo/rows-inl.h"
// clang-format on
#include "geo/great_circle-inl.h"
#include "geo/grid-inl.h"
#include "geo/mercator-inl.h"

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

static constexpr GeoOps kGeoOps = {
    .great_circle = great_circle,
    .mercator_forward = mercator_forward,
    .mercator_inverse = mercator_inverse,
    .grid_cell = grid_cell,
};

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
