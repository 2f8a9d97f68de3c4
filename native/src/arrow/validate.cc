// SPDX-License-Identifier: Apache-2.0
#include "arrow/validate.h"

namespace tombolo::inline v0 {

tombolo_status Validate(tombolo_context*, const ArrowSchema*, const ArrowArray*, int32_t) noexcept {
  return TOMBOLO_UNSUPPORTED;
}

}  // namespace tombolo::inline v0
