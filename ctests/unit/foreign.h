// SPDX-License-Identifier: Apache-2.0
//
// foreign.h: C structs as some other library would fill them, on memory that ends where the layout
// says, so that a sanitizer sees every over-read.
#pragma once

#include <tombolo/abi.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace tombolo::testing {

// A tree of schema and array together. Plain members, to be bent by tests; Link wires the pointers.
class Foreign {
 public:
  explicit Foreign(std::string format, int64_t length = 0) : format_(std::move(format)) {
    array.length = length;
  }

  // Appends a buffer: NULL, or a copy of exactly the given values.
  Foreign& Null() {
    buffers_.push_back(nullptr);
    return *this;
  }
  template <class T>
  Foreign& Values(std::vector<T> values) {
    const size_t size = values.size() * sizeof(T);
    auto* memory = new char[size];
    if (size > 0) memcpy(memory, values.data(), size);
    owned_.emplace_back(memory);
    buffers_.push_back(memory);
    return *this;
  }
  Foreign& Bytes(const std::string& text) {
    return Values(std::vector<char>(text.begin(), text.end()));
  }
  Foreign& Child(Foreign child) {
    children_.push_back(std::make_unique<Foreign>(std::move(child)));
    return *this;
  }
  Foreign& Dictionary(Foreign dictionary) {
    dictionary_ = std::make_unique<Foreign>(std::move(dictionary));
    return *this;
  }
  Foreign& Offset(int64_t offset) {
    array.offset = offset;
    return *this;
  }
  Foreign& Nulls(int64_t count) {
    array.null_count = count;
    return *this;
  }
  Foreign& Flags(int64_t flags) {
    schema.flags = flags;
    return *this;
  }
  Foreign& Metadata(std::string metadata) {
    metadata_ = std::move(metadata);
    return *this;
  }

  Foreign& child(size_t i) { return *children_[i]; }
  Foreign& dictionary() { return *dictionary_; }

  // Sets every pointer and count of the tree; a test bends them afterwards.
  Foreign& Link() {
    schema.format = format_.c_str();
    if (schema.name == nullptr) schema.name = "";
    schema.metadata = metadata_.empty() ? nullptr : metadata_.data();
    schema.release = [](ArrowSchema* it) { it->release = nullptr; };
    array.release = [](ArrowArray* it) { it->release = nullptr; };
    static const char* const names[] = {"column 0", "column 1", "column 2", "column 3"};
    for (auto& child : children_) {
      if (schema_children_.size() < std::size(names)) {
        child->schema.name = names[schema_children_.size()];
      }
      child->Link();
      schema_children_.push_back(&child->schema);
      array_children_.push_back(&child->array);
    }
    if (dictionary_ != nullptr) {
      dictionary_->Link();
      schema.dictionary = &dictionary_->schema;
      array.dictionary = &dictionary_->array;
    }
    schema.n_children = array.n_children = static_cast<int64_t>(children_.size());
    schema.children = children_.empty() ? nullptr : schema_children_.data();
    array.children = children_.empty() ? nullptr : array_children_.data();
    array.n_buffers = static_cast<int64_t>(buffers_.size());
    array.buffers = buffers_.empty() ? nullptr : buffers_.data();
    return *this;
  }

  ArrowSchema schema = {};
  ArrowArray array = {};

 private:
  std::string format_;
  std::string metadata_;
  std::vector<std::unique_ptr<char[]>> owned_;
  std::vector<const void*> buffers_;
  std::vector<std::unique_ptr<Foreign>> children_;
  std::unique_ptr<Foreign> dictionary_;
  std::vector<ArrowSchema*> schema_children_;
  std::vector<ArrowArray*> array_children_;
};

}  // namespace tombolo::testing
