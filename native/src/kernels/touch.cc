// SPDX-License-Identifier: Apache-2.0
//
// touch: the consumer of the crossing benchmark. It reads every struct field of a batch and one
// byte of each buffer, so that what is timed is the crossing and not the work behind it.
#include "kernels/kernel.h"
#include "kernels/registry.h"
#include "kernels/touch_ops.h"

namespace tombolo {
inline namespace v0 {
namespace {

struct Touch : BoundKernel {
  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {nullptr};
    Status status = options.check_names(context, names);
    if (status != TOMBOLO_OK) return status;
    status = open_batch_schema(context, output, 1);
    if (status != TOMBOLO_OK) return status;
    return open_schema(context, output->children[0], "l", "result", ARROW_FLAG_NULLABLE, 0);
  }

  struct State {
    uint64_t sum = 0;

    Status open(Context&, const Touch&) noexcept { return TOMBOLO_OK; }

    Status consume(Context&, const Touch& kernel, const BatchView& batch) noexcept {
      sum += kernel.ops->touch->sum(batch.raw());
      return TOMBOLO_OK;
    }

    Status merge(Context&, const Touch&, State& other) noexcept {
      sum += other.sum;
      other.sum = 0;
      return TOMBOLO_OK;
    }

    Status finish(Context& context, const Touch&, ArrowArray* output) noexcept {
      Status status = open_batch(context, output, 1, 1);
      if (status != TOMBOLO_OK) return status;
      ArrowArray* column = output->children[0];
      status = open_array(context, column, 2);
      if (status != TOMBOLO_OK) return status;
      column->length = 1;
      void* values = array_buffer(context, column, 1, sizeof sum, &status);
      if (values == nullptr) return status;
      memcpy(values, &sum, sizeof sum);
      pad_buffer(values, sizeof sum);
      sum = 0;
      return TOMBOLO_OK;
    }
  };
};

}  // namespace

const tombolo_kernel kTouchKernel = accumulate_kernel<Touch>("touch");

}  // namespace v0
}  // namespace tombolo
