// SPDX-License-Identifier: Apache-2.0
//
// is_utf8 against a second form of the same rule: decode by bit patterns, then look at the number.
#include <cstdlib>

#include "arrow/utf8.h"

namespace {

bool DecodesWhole(const uint8_t* data, size_t size) {
  for (size_t i = 0; i < size;) {
    const uint8_t lead = data[i];
    const size_t bytes = lead < 0x80       ? 1
                         : lead >> 5 == 6  ? 2
                         : lead >> 4 == 14 ? 3
                         : lead >> 3 == 30 ? 4
                                           : 0;
    if (bytes == 0 || i + bytes > size) return false;
    uint32_t code = bytes == 1 ? lead : lead & (0xFFu >> (bytes + 1));
    for (size_t k = 1; k < bytes; k++) {
      if (data[i + k] >> 6 != 2) return false;
      code = code << 6 | (data[i + k] & 63);
    }
    const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
    i += bytes;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bool sound = tombolo::is_utf8(data, static_cast<int64_t>(size));
  if (sound != DecodesWhole(data, size)) abort();
  if (tombolo::is_ascii(data, static_cast<int64_t>(size)) && !sound) abort();
  return 0;
}
