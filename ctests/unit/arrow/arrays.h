// SPDX-License-Identifier: Apache-2.0
//
// arrays.h: arrays to validate, and what became of it.
#pragma once

#include <functional>

#include "arrow/validate.h"
#include "foreign.h"

namespace tombolo::testing {

constexpr int32_t kStructure = TOMBOLO_VALIDATE_STRUCTURE;
constexpr int32_t kFull = TOMBOLO_VALIDATE_FULL;

struct Outcome {
  tombolo_status status;
  std::string error;
  int32_t column;
};

inline Outcome Check(Foreign& foreign, int32_t level) {
  char error[256] = "";
  tombolo_context context = {};
  context.error = error;
  context.error_bytes = sizeof error;
  const tombolo_status status = validate(&context, &foreign.schema, &foreign.array, level);
  return {status, error, context.column};
}

using Make = std::function<Foreign()>;

inline Foreign Ints(std::vector<int32_t> values) {
  const int64_t length = static_cast<int64_t>(values.size());
  return std::move(Foreign("i", length).Null().Values(std::move(values)));
}

inline Foreign Text(std::vector<int32_t> offsets, const std::string& data) {
  const int64_t length = static_cast<int64_t>(offsets.size()) - 1;
  return std::move(Foreign("u", length).Null().Values(std::move(offsets)).Bytes(data));
}

struct View {
  int32_t size;
  char prefix[4];
  int32_t buffer;
  int32_t offset;
};

inline Foreign Views(std::vector<View> views, std::vector<std::string> buffers,
                     const char* format = "vu") {
  Foreign foreign(format, static_cast<int64_t>(views.size()));
  foreign.Null().Values(std::move(views));
  std::vector<int64_t> sizes;
  for (const std::string& buffer : buffers) {
    foreign.Bytes(buffer);
    sizes.push_back(static_cast<int64_t>(buffer.size()));
  }
  return std::move(foreign.Values(std::move(sizes)));
}

inline Foreign Runs(std::vector<int32_t> ends, int64_t length, int64_t values = -1) {
  const int64_t count = values < 0 ? static_cast<int64_t>(ends.size()) : values;
  return std::move(Foreign("+r", length)
                       .Child(Ints(std::move(ends)))
                       .Child(Ints(std::vector<int32_t>(static_cast<size_t>(count)))));
}

inline Foreign Map(std::vector<int32_t> offsets, int64_t entries) {
  const size_t count = static_cast<size_t>(entries);
  return std::move(Foreign("+m", static_cast<int64_t>(offsets.size()) - 1)
                       .Null()
                       .Values(std::move(offsets))
                       .Child(std::move(Foreign("+s", entries)
                                            .Null()
                                            .Child(Ints(std::vector<int32_t>(count)))
                                            .Child(Ints(std::vector<int32_t>(count))))));
}

}  // namespace tombolo::testing
