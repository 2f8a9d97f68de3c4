// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel.h"

namespace tombolo {
inline namespace v0 {

Status open_inputs(Context& context, BoundKernel* kernel, int64_t input_count,
                   const ArrowSchema* const* inputs) noexcept {
  kernel->allocator = context.allocator();
  kernel->ops = &dispatch(context.simd_level());
  kernel->input_count = static_cast<int32_t>(input_count);
  Status status = TOMBOLO_OK;
  for (int32_t i = 0; status == TOMBOLO_OK && i < kernel->input_count; i++) {
    status = kernel->inputs[i].open(context, inputs[i]);
    if (status != TOMBOLO_OK) context.set_argument(i);
  }
  return status;
}

Status open_views(Context& context, const BoundKernel& kernel, ArrowArray* const* inputs,
                  BatchView* views) noexcept {
  Status status = TOMBOLO_OK;
  for (int32_t i = 0; status == TOMBOLO_OK && i < kernel.input_count; i++) {
    status = views[i].open(context, kernel.inputs[i], inputs[i]);
    if (status != TOMBOLO_OK) context.set_argument(i);
  }
  return status;
}

Status end_run(Status status, const BoundKernel& kernel, ArrowArray* const* inputs,
               ArrowArray* output) noexcept {
  if (status != TOMBOLO_OK) consume_array(output);
  for (int32_t i = 0; i < kernel.input_count; i++) consume_array(inputs[i]);
  return status;
}

}  // namespace v0
}  // namespace tombolo
