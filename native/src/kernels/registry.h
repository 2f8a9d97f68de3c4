// SPDX-License-Identifier: Apache-2.0
//
// Every kernel and every object kind of the library, by name.
#pragma once

#include "kernels/options.h"

namespace tombolo {
inline namespace v0 {

extern const tombolo_kernel kAbsKernel;
extern const tombolo_kernel kAbsUncheckedKernel;
extern const tombolo_kernel kAddKernel;
extern const tombolo_kernel kAddUncheckedKernel;
extern const tombolo_kernel kCastKernel;
extern const tombolo_kernel kDivideKernel;
extern const tombolo_kernel kDivideUncheckedKernel;
extern const tombolo_kernel kEqualKernel;
extern const tombolo_kernel kFilterKernel;
extern const tombolo_kernel kGreatCircleDistanceKernel;
extern const tombolo_kernel kGreaterEqualKernel;
extern const tombolo_kernel kGreaterKernel;
extern const tombolo_kernel kGridCellKernel;
extern const tombolo_kernel kGroupByKernel;
extern const tombolo_kernel kIndexInKernel;
extern const tombolo_kernel kLessEqualKernel;
extern const tombolo_kernel kLessKernel;
extern const tombolo_kernel kMonthKernel;
extern const tombolo_kernel kNotEqualKernel;
extern const tombolo_kernel kRechunkKernel;
extern const tombolo_kernel kSubtractKernel;
extern const tombolo_kernel kSubtractUncheckedKernel;
extern const tombolo_kernel kTakeKernel;
extern const tombolo_kernel kTouchKernel;
extern const tombolo_kernel kWebMercatorForwardKernel;
extern const tombolo_kernel kWebMercatorInverseKernel;

// Makes an object of one kind from a schema that is read and a batch that is consumed.
struct ObjectKind {
  const char* name;
  Status (*prepare)(Context&, const ArrowSchema* schema, ArrowArray* batch, const Options& options,
                    tombolo_object** object) noexcept;
};

extern const ObjectKind kBatchObjectKind;
extern const ObjectKind kValueSetObjectKind;

// The table of kernels, sorted by name.
const tombolo_kernel* kernel_table(int64_t* count) noexcept;

Status prepare_object(Context& context, const char* kind, const ArrowSchema* schema,
                      ArrowArray* batch, const Options& options, tombolo_object** object) noexcept;

}  // namespace v0
}  // namespace tombolo
