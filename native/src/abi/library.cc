// SPDX-License-Identifier: Apache-2.0
//
// The entry point of library.h.
#include "kernels/kernel.h"
#include "kernels/registry.h"

#ifndef TOMBOLO_SOURCE_DIGEST
#define TOMBOLO_SOURCE_DIGEST ""
#endif

namespace tombolo {
inline namespace v0 {
namespace {

Status prepare(tombolo_context* raw, const char* kind, const ArrowSchema* schema,
               ArrowArray* batch, int64_t option_count, const tombolo_option* options,
               tombolo_object** object) noexcept {
  Context context(raw);
  *object = nullptr;
  const Status status =
      prepare_object(context, kind, schema, batch, Options(options, option_count), object);
  consume_array(batch);
  return status;
}

tombolo_library g_library = {};
std::atomic<int32_t> g_library_state{0};  // 0 untouched, 1 being filled, 2 ready

}  // namespace
}  // namespace v0
}  // namespace tombolo

extern "C" const tombolo_library* tombolo_library_open(int32_t abi) {
  using namespace tombolo;
  if (abi != TOMBOLO_ABI) return nullptr;
  int32_t untouched = 0;
  if (g_library_state.compare_exchange_strong(untouched, 1, std::memory_order_acquire)) {
    g_library.abi = TOMBOLO_ABI;
    g_library.simd_level = simd_level_max();
    g_library.name = "tombolo";
    g_library.version = TOMBOLO_VERSION;
    g_library.source_digest = TOMBOLO_SOURCE_DIGEST;
    g_library.kernels = kernel_table(&g_library.kernel_count);
    g_library.prepare = prepare;
    g_library_state.store(2, std::memory_order_release);
  }
  while (g_library_state.load(std::memory_order_acquire) != 2) {
  }
  return &g_library;
}
