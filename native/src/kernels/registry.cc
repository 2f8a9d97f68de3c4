// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry.h"

namespace tombolo {
inline namespace v0 {
namespace {

// Sorted by name; a unit test holds it to that.
constexpr const tombolo_kernel* kKernels[] = {
    &kAbsKernel,
    &kAbsUncheckedKernel,
    &kAddKernel,
    &kAddUncheckedKernel,
    &kCastKernel,
    &kDivideKernel,
    &kDivideUncheckedKernel,
    &kEqualKernel,
    &kFilterKernel,
    &kGreatCircleDistanceKernel,
    &kGreaterKernel,
    &kGreaterEqualKernel,
    &kGridCellKernel,
    &kGroupByKernel,
    &kIndexInKernel,
    &kLessKernel,
    &kLessEqualKernel,
    &kMonthKernel,
    &kNotEqualKernel,
    &kRechunkKernel,
    &kSubtractKernel,
    &kSubtractUncheckedKernel,
    &kTakeKernel,
    &kTouchKernel,
    &kWebMercatorForwardKernel,
    &kWebMercatorInverseKernel,
};
constexpr int64_t kKernelCount = static_cast<int64_t>(sizeof kKernels / sizeof kKernels[0]);

constexpr const ObjectKind* kObjectKinds[] = {
    &kBatchObjectKind,
    &kValueSetObjectKind,
};

// The C table wants the kernels side by side, so the first caller copies them and others wait for
// it: the copy is a few hundred bytes.
tombolo_kernel g_table[kKernelCount];
std::atomic<int32_t> g_table_state{0};  // 0 untouched, 1 being filled, 2 ready

}  // namespace

const tombolo_kernel* kernel_table(int64_t* count) noexcept {
  *count = kKernelCount;
  int32_t untouched = 0;
  if (g_table_state.compare_exchange_strong(untouched, 1, std::memory_order_acquire)) {
    for (int64_t i = 0; i < kKernelCount; i++) g_table[i] = *kKernels[i];
    g_table_state.store(2, std::memory_order_release);
  }
  while (g_table_state.load(std::memory_order_acquire) != 2) {
  }
  return g_table;
}

Status prepare_object(Context& context, const char* kind, const ArrowSchema* schema,
                      ArrowArray* batch, const Options& options, tombolo_object** object) noexcept {
  for (const ObjectKind* candidate : kObjectKinds) {
    if (kind != nullptr && strcmp(candidate->name, kind) == 0) {
      return candidate->prepare(context, schema, batch, options, object);
    }
  }
  return context.fail(TOMBOLO_INVALID, "no object kind of this name");
}

}  // namespace v0
}  // namespace tombolo
