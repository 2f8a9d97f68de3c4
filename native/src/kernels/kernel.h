// SPDX-License-Identifier: Apache-2.0
//
// From a C++ class to a tombolo_kernel. A family writes one class for each kernel:
//
//   struct Month : BoundKernel {
//     Status bind(Context&, const Options&, ArrowSchema* output) noexcept;
//     Status run(Context&, const BatchView* inputs, ArrowArray* output) const noexcept;
//   };
//   const tombolo_kernel kMonthKernel = map_kernel<Month>("month", 1);
//
// and for an accumulate kernel a nested State with consume, merge and finish. The templates here do
// what is the same for all: allocate and free, open views, consume inputs on every path, leave a
// failed output released.
#pragma once

#include "arrow/output.h"
#include "kernels/options.h"
#include "simd/dispatch.h"

namespace tombolo {
inline namespace v0 {

inline constexpr int32_t kInputsMax = 4;

// What every bound kernel has: the schemas of its inputs and its level's operations.
struct BoundKernel {
  tombolo_allocator* allocator = nullptr;
  const Dispatch* ops = nullptr;
  int32_t input_count = 0;
  Schema inputs[kInputsMax];
};

inline void consume_array(ArrowArray* array) noexcept {
  if (array != nullptr && array->release != nullptr) array->release(array);
}

inline void consume_schema(ArrowSchema* schema) noexcept {
  if (schema->release != nullptr) schema->release(schema);
}

// Opens the schemas of a kernel's inputs.
Status open_inputs(Context& context, BoundKernel* kernel, int64_t input_count,
                   const ArrowSchema* const* inputs) noexcept;

// Opens a view of each input batch.
Status open_views(Context& context, const BoundKernel& kernel, ArrowArray* const* inputs,
                  BatchView* views) noexcept;

// Consumes the inputs, and the output of a run that failed.
Status end_run(Status status, const BoundKernel& kernel, ArrowArray* const* inputs,
               ArrowArray* output) noexcept;

template <class K>
void unbind_kernel(void* bound) noexcept {
  if (bound == nullptr) return;
  auto* kernel = static_cast<K*>(bound);
  tombolo_allocator* allocator = kernel->allocator;
  kernel->~K();
  allocator->free(allocator, kernel);
}

template <class K>
Status bind_kernel(tombolo_context* raw, int64_t input_count, const ArrowSchema* const* inputs,
                   int64_t option_count, const tombolo_option* options, void** bound,
                   ArrowSchema* output) noexcept {
  Context context(raw);
  *bound = nullptr;
  output->release = nullptr;
  if (input_count < 1 || input_count > kInputsMax) {
    return context.fail(TOMBOLO_INVALID, "a wrong number of inputs");
  }
  Status status = TOMBOLO_OK;
  void* memory = context.allocate(static_cast<int64_t>(sizeof(K)), &status);
  if (memory == nullptr) return status;
  K* kernel = new (memory) K();
  status = open_inputs(context, kernel, input_count, inputs);
  if (status == TOMBOLO_OK) {
    status = kernel->bind(context, Options(options, option_count), output);
  }
  if (status != TOMBOLO_OK) {
    consume_schema(output);
    unbind_kernel<K>(kernel);
    return status;
  }
  *bound = kernel;
  return TOMBOLO_OK;
}

template <class K>
Status run_kernel(tombolo_context* raw, const void* bound, ArrowArray* const* inputs,
                  ArrowArray* output) noexcept {
  Context context(raw);
  const auto* kernel = static_cast<const K*>(bound);
  output->release = nullptr;
  BatchView views[kInputsMax];
  Status status = open_views(context, *kernel, inputs, views);
  if (status == TOMBOLO_OK) status = kernel->run(context, views, output);
  return end_run(status, *kernel, inputs, output);
}

template <class K>
constexpr tombolo_kernel map_kernel(const char* name, int32_t input_count) noexcept {
  tombolo_kernel kernel = {};
  kernel.name = name;
  kernel.kind = TOMBOLO_KERNEL_MAP;
  kernel.input_count = input_count;
  kernel.bind = bind_kernel<K>;
  kernel.unbind = unbind_kernel<K>;
  kernel.run = run_kernel<K>;
  return kernel;
}

// A state remembers its allocator so that close needs no context.
template <class S>
struct StateBox {
  tombolo_allocator* allocator;
  S state;
};

template <class K>
Status open_state(tombolo_context* raw, const void* bound, void** out) noexcept {
  using Box = StateBox<typename K::State>;
  Context context(raw);
  *out = nullptr;
  Status status = TOMBOLO_OK;
  void* memory = context.allocate(static_cast<int64_t>(sizeof(Box)), &status);
  if (memory == nullptr) return status;
  Box* box = new (memory) Box();
  box->allocator = context.allocator();
  status = box->state.open(context, *static_cast<const K*>(bound));
  if (status != TOMBOLO_OK) {
    box->~Box();
    context.free(box);
    return status;
  }
  *out = box;
  return TOMBOLO_OK;
}

template <class K>
void close_state(void* memory) noexcept {
  using Box = StateBox<typename K::State>;
  if (memory == nullptr) return;
  auto* box = static_cast<Box*>(memory);
  tombolo_allocator* allocator = box->allocator;
  box->~Box();
  allocator->free(allocator, box);
}

template <class K>
typename K::State& state_of(void* memory) noexcept {
  return static_cast<StateBox<typename K::State>*>(memory)->state;
}

template <class K>
Status consume_batch(tombolo_context* raw, const void* bound, void* state,
                     ArrowArray* input) noexcept {
  Context context(raw);
  const auto* kernel = static_cast<const K*>(bound);
  BatchView view;
  Status status = view.open(context, kernel->inputs[0], input);
  if (status == TOMBOLO_OK) status = state_of<K>(state).consume(context, *kernel, view);
  consume_array(input);
  return status;
}

template <class K>
Status merge_states(tombolo_context* raw, const void* bound, void* state, void* other) noexcept {
  Context context(raw);
  return state_of<K>(state).merge(context, *static_cast<const K*>(bound), state_of<K>(other));
}

template <class K>
Status finish_state(tombolo_context* raw, const void* bound, void* state,
                    ArrowArray* output) noexcept {
  Context context(raw);
  output->release = nullptr;
  const Status status = state_of<K>(state).finish(context, *static_cast<const K*>(bound), output);
  if (status != TOMBOLO_OK) consume_array(output);
  return status;
}

// K::State has open(Context&, const K&), consume(Context&, const K&, const BatchView&),
// merge(Context&, const K&, State& other) and finish(Context&, const K&, ArrowArray* output).
template <class K>
constexpr tombolo_kernel accumulate_kernel(const char* name) noexcept {
  tombolo_kernel kernel = {};
  kernel.name = name;
  kernel.kind = TOMBOLO_KERNEL_ACCUMULATE;
  kernel.input_count = 1;
  kernel.bind = bind_kernel<K>;
  kernel.unbind = unbind_kernel<K>;
  kernel.open = open_state<K>;
  kernel.consume = consume_batch<K>;
  kernel.merge = merge_states<K>;
  kernel.finish = finish_state<K>;
  kernel.close = close_state<K>;
  return kernel;
}

template <class K>
Status push_batch(tombolo_context* raw, const void* bound, void* state,
                  ArrowArray* input) noexcept {
  Context context(raw);
  const auto* kernel = static_cast<const K*>(bound);
  if (input == nullptr) return state_of<K>(state).push_end(context, *kernel);
  BatchView view;
  Status status = view.open(context, kernel->inputs[0], input);
  if (status == TOMBOLO_OK) status = state_of<K>(state).push(context, *kernel, view);
  consume_array(input);
  return status;
}

template <class K>
Status next_batch(tombolo_context* raw, const void* bound, void* state,
                  ArrowArray* output) noexcept {
  Context context(raw);
  output->release = nullptr;
  const Status status = state_of<K>(state).next(context, *static_cast<const K*>(bound), output);
  if (status != TOMBOLO_OK) consume_array(output);
  return status;
}

// K::State has open, push(Context&, const K&, const BatchView&), push_end(Context&, const K&) and
// next(Context&, const K&, ArrowArray* output), which leaves output released when it has nothing.
template <class K>
constexpr tombolo_kernel emit_kernel(const char* name) noexcept {
  tombolo_kernel kernel = {};
  kernel.name = name;
  kernel.kind = TOMBOLO_KERNEL_EMIT;
  kernel.input_count = 1;
  kernel.bind = bind_kernel<K>;
  kernel.unbind = unbind_kernel<K>;
  kernel.open = open_state<K>;
  kernel.push = push_batch<K>;
  kernel.next = next_batch<K>;
  kernel.close = close_state<K>;
  return kernel;
}

}  // namespace v0
}  // namespace tombolo
