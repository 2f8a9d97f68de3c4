// SPDX-License-Identifier: Apache-2.0
#include "arrow/validate.h"

namespace tombolo {
inline namespace v0 {

tombolo_status validate(tombolo_context*, const ArrowSchema*, const ArrowArray*, int32_t) noexcept {
  return TOMBOLO_UNSUPPORTED;
}

}  // namespace v0
}  // namespace tombolo
