// SPDX-License-Identifier: Apache-2.0
#include "arrow/utf8.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tombolo {
namespace {

// Checks on memory that ends with the text, behind 0 to 9 plain characters.
void Expect(const std::string& text, bool sound) {
  for (size_t before = 0; before < 10; before++) {
    const size_t size = before + text.size();
    const std::unique_ptr<uint8_t[]> exact(new uint8_t[size]);
    memset(exact.get(), 'a', before);
    memcpy(exact.get() + before, text.data(), text.size());
    EXPECT_EQ(is_utf8(exact.get(), static_cast<int64_t>(size)), sound)
        << before << " " << ::testing::PrintToString(text);
  }
}

// Encodes by the bit patterns alone, surrogates and overlong forms included.
std::string Encode(uint32_t code, int bytes) {
  const uint8_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  std::string text(static_cast<size_t>(bytes), '\0');
  for (int i = bytes - 1; i > 0; i--, code >>= 6) text[i] = static_cast<char>(0x80 | (code & 63));
  text[0] = static_cast<char>(bytes == 1 ? code : lead[bytes] | code);
  return text;
}

TEST(Utf8, Boundaries) {
  for (uint32_t code : {0x0u, 0x7Fu}) Expect(Encode(code, 1), true);
  for (uint32_t code : {0x80u, 0x7FFu}) Expect(Encode(code, 2), true);
  for (uint32_t code : {0x800u, 0xD7FFu, 0xE000u, 0xFFFFu}) Expect(Encode(code, 3), true);
  for (uint32_t code : {0x10000u, 0x10FFFFu}) Expect(Encode(code, 4), true);
  Expect(Encode(0x7F, 2), false);
  Expect(Encode(0x7FF, 3), false);
  Expect(Encode(0xFFFF, 4), false);
  Expect(Encode(0xD800, 3), false);
  Expect(Encode(0xDFFF, 3), false);
  Expect(Encode(0x110000, 4), false);
}

TEST(Utf8, TruncatedAndStray) {
  for (uint32_t code : {0x80u, 0x7FFu}) Expect(Encode(code, 2).substr(0, 1), false);
  for (size_t size : {1, 2}) Expect(Encode(0x20AC, 3).substr(0, size), false);
  for (size_t size : {1, 2, 3}) Expect(Encode(0x1F3DD, 4).substr(0, size), false);
  Expect("\x80", false);
  Expect("\xBF", false);
  for (int byte = 0xF5; byte <= 0xFF; byte++)
    Expect(std::string(1, static_cast<char>(byte)), false);
  Expect("\xE2\x28\xA1", false);
  Expect("\xF0\x9F\x28\x9D", false);
  Expect("\xF0\x9F\x8F\x28", false);
  Expect("", true);
}

// Every two bytes: sound exactly when both are plain or they encode U+0080 ... U+07FF.
TEST(Utf8, EveryPairOfBytes) {
  for (int first = 0; first < 256; first++) {
    for (int second = 0; second < 256; second++) {
      const uint8_t text[] = {static_cast<uint8_t>(first), static_cast<uint8_t>(second)};
      const bool plain = first < 0x80 && second < 0x80;
      const bool pair = first >= 0xC2 && first <= 0xDF && second >= 0x80 && second <= 0xBF;
      ASSERT_EQ(is_utf8(text, 2), plain || pair) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace tombolo
