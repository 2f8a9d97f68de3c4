// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a format string, on memory that ends with its NUL.
#include <cstdlib>
#include <cstring>

#include "arrow/format.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto* format = static_cast<char*>(malloc(size + 1));
  memcpy(format, data, size);
  format[size] = '\0';
  tombolo::DataType type;
  if (tombolo::parse_format(format, &type)) {
    int8_t child_of[tombolo::kUnionIdsMax];
    if (tombolo::is_union(type.id)) tombolo::union_children(type, child_of);
    if (type.width < 0 || type.list_size < 0 || type.union_count > tombolo::kUnionIdsMax) abort();
  }
  free(format);
  return 0;
}
