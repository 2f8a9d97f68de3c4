// SPDX-License-Identifier: Apache-2.0
#include "arrow/utf8.h"

namespace tombolo {
inline namespace v0 {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080;

// The range that the second byte of a sequence must lie in is what excludes overlong forms,
// surrogates and what lies above U+10FFFF (the Unicode Standard, table 3-7).
struct LeadByte {
  uint8_t first, last;
  uint8_t size;
  uint8_t second_first, second_last;
};

constexpr LeadByte kLeadBytes[] = {
    {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF}, {0xE1, 0xEC, 3, 0x80, 0xBF},
    {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF}, {0xF0, 0xF0, 4, 0x90, 0xBF},
    {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

bool is_continuation(uint8_t byte) noexcept { return (byte & 0xC0) == 0x80; }

// Length of the sequence of several bytes at data, or 0 when it is none.
int64_t sequence_size(const uint8_t* data, int64_t size_bytes) noexcept {
  for (const LeadByte& lead : kLeadBytes) {
    if (data[0] > lead.last) continue;
    const bool sound = data[0] >= lead.first && lead.size <= size_bytes &&
                       data[1] >= lead.second_first && data[1] <= lead.second_last &&
                       (lead.size < 3 || is_continuation(data[2])) &&
                       (lead.size < 4 || is_continuation(data[3]));
    return sound ? lead.size : 0;
  }
  return 0;
}

}  // namespace

bool is_utf8(const uint8_t* data, int64_t size_bytes) noexcept {
  int64_t i = 0;
  while (i < size_bytes) {
    uint64_t word;
    if (i + 8 <= size_bytes) {
      memcpy(&word, data + i, sizeof word);
      if ((word & kHighBits) == 0) {
        i += 8;
        continue;
      }
    }
    if (data[i] < 0x80) {
      i++;
      continue;
    }
    const int64_t size = sequence_size(data + i, size_bytes - i);
    if (size == 0) return false;
    i += size;
  }
  return true;
}

}  // namespace v0
}  // namespace tombolo
