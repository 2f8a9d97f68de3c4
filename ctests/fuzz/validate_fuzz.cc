// SPDX-License-Identifier: Apache-2.0
//
// Builds a tree of C structs from the input and validates it at both levels. Buffers are as long as
// the layout asks for the stated lengths, no longer, so that a read past them is seen; numbers are
// wild otherwise.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "arrow/format.h"
#include "arrow/validate.h"

namespace tombolo {
namespace {

constexpr int kFuzzDepthMax = 5;
constexpr int64_t kFuzzLengthMax = 40;

class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), left_(size) {}

  uint8_t Byte() {
    if (left_ == 0) return 0;
    left_--;
    return *data_++;
  }
  bool Sometimes() { return Byte() > 240; }  // rare: most of a tree should be sound
  void Fill(void* out, size_t size) {
    auto* bytes = static_cast<uint8_t*>(out);
    for (size_t i = 0; i < size; i++) bytes[i] = Byte();
  }
  // Lengths that no buffer has; others would be taken at their word.
  int64_t Impossible() {
    const int64_t kImpossible[] = {-1, -2, INT64_MIN, INT64_MAX, INT64_MAX / 2};
    return kImpossible[Byte() % 5];
  }
  int64_t Wild() {
    const int64_t kWild[] = {-1, -2, INT64_MAX, INT64_MIN, INT64_MAX / 2, INT32_MAX, 1, 0};
    return kWild[Byte() % 8];
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

struct Node {
  ArrowSchema schema = {};
  ArrowArray array = {};
  std::string format;
  std::vector<std::unique_ptr<char[]>> memory;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<Node>> children;
  std::unique_ptr<Node> dictionary;
  std::vector<ArrowSchema*> schema_children;
  std::vector<ArrowArray*> array_children;
};

void AddBuffer(Input& input, Node& node, int64_t size) {
  auto* memory = new char[static_cast<size_t>(size)];
  input.Fill(memory, static_cast<size_t>(size));
  node.memory.emplace_back(memory);
  node.buffers.push_back(input.Sometimes() ? nullptr : memory);
}

// Rising 32- or 64-bit numbers with now and then a wild one: random bytes would seldom pass.
// Offsets into a buffer whose length nobody states must not be wild upwards.
template <class T>
void AddOffsets(Input& input, Node& node, int64_t count, bool bounded, T* last) {
  auto* memory = new char[static_cast<size_t>(count) * sizeof(T)];
  T offset = 0;
  for (int64_t i = 0; i < count; i++) {
    T value = input.Sometimes() ? static_cast<T>(input.Wild()) : offset;
    if (!bounded && value > offset) value = offset;
    memcpy(memory + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
    *last = offset;
    offset = static_cast<T>(offset + input.Byte() % 4);
  }
  node.memory.emplace_back(memory);
  node.buffers.push_back(memory);
}

std::unique_ptr<Node> MakeNode(Input& input, int depth, int64_t length,
                               const char* format = nullptr);

void AddVariable(Input& input, Node& node, bool wide, bool list, int depth) {
  const int64_t end = node.array.length + node.array.offset;
  int64_t last = 0;
  if (wide) {
    AddOffsets<int64_t>(input, node, end + 1, list, &last);
  } else {
    int32_t narrow = 0;
    AddOffsets<int32_t>(input, node, end + 1, list, &narrow);
    last = narrow;
  }
  // The C interface does not carry the data buffer's length: give what the offsets may reach.
  if (list) {
    const bool map = node.format == "+m" && !input.Sometimes();
    node.children.push_back(MakeNode(input, depth + 1, last, map ? "+s" : nullptr));
  } else {
    AddBuffer(input, node, 4 * (end + 1) + 8);
  }
}

void AddChildren(Input& input, Node& node, const DataType& type, int depth) {
  const int64_t end = node.array.length + node.array.offset;
  int64_t count = is_union(type.id) ? type.union_count : child_count(type.id);
  if (count < 0) count = input.Byte() % 4;
  const int64_t items = type.id == TypeId::kFixedSizeList ? end * type.list_size : end;
  for (int64_t i = 0; i < count; i++) {
    const bool run_ends = type.id == TypeId::kRunEndEncoded && i == 0 && !input.Sometimes();
    node.children.push_back(MakeNode(input, depth + 1, items, run_ends ? "i" : nullptr));
  }
}

void AddLayout(Input& input, Node& node, const DataType& type, int depth) {
  const int64_t end = node.array.length + node.array.offset;
  if (has_validity(type.id)) AddBuffer(input, node, (end + 7) / 8);
  switch (type.id) {
    case TypeId::kUtf8:
    case TypeId::kBinary: return AddVariable(input, node, false, false, depth);
    case TypeId::kLargeUtf8:
    case TypeId::kLargeBinary: return AddVariable(input, node, true, false, depth);
    case TypeId::kList:
    case TypeId::kMap: return AddVariable(input, node, false, true, depth);
    case TypeId::kLargeList: return AddVariable(input, node, true, true, depth);
    case TypeId::kUtf8View:
    case TypeId::kBinaryView: {
      AddBuffer(input, node, end * 16);
      const int64_t variadic = input.Byte() % 3;
      for (int64_t i = 0; i < variadic; i++) AddBuffer(input, node, 20);
      std::vector<int64_t> sizes(static_cast<size_t>(variadic), 20);
      auto* memory = new char[static_cast<size_t>(variadic) * 8];
      if (variadic > 0) memcpy(memory, sizes.data(), static_cast<size_t>(variadic) * 8);
      node.memory.emplace_back(memory);
      node.buffers.push_back(memory);
      return;
    }
    case TypeId::kListView:
    case TypeId::kLargeListView: {
      const int64_t width = type.id == TypeId::kListView ? 4 : 8;
      AddBuffer(input, node, end * width);
      AddBuffer(input, node, end * width);
      node.children.push_back(MakeNode(input, depth + 1, kFuzzLengthMax));
      return;
    }
    case TypeId::kDenseUnion:
    case TypeId::kSparseUnion:
      AddBuffer(input, node, end);
      if (type.id == TypeId::kDenseUnion) AddBuffer(input, node, end * 4);
      return AddChildren(input, node, type, depth);
    case TypeId::kStruct:
    case TypeId::kFixedSizeList:
    case TypeId::kRunEndEncoded: return AddChildren(input, node, type, depth);
    case TypeId::kNull: return;
    case TypeId::kInt32:
      if (input.Sometimes()) return AddBuffer(input, node, end * 4);
      int32_t last;
      return AddOffsets<int32_t>(input, node, end, true, &last);
    case TypeId::kBool: return AddBuffer(input, node, (end + 7) / 8);
    default: return AddBuffer(input, node, end * type.width);
  }
}

const char* const kFormats[] = {
    "n",       "b",       "c",         "C",       "s",        "i",   "l",     "L",   "g",
    "z",       "Z",       "vz",        "u",       "U",        "vu",  "d:3,1", "w:3", "tdD",
    "tin",     "+l",      "+L",        "+vl",     "+vL",      "+s",  "+m",    "+r",  "+w:2",
    "+ud:0,1", "+us:5,7", "d:5,2,256", "tss:UTC", "d:4,0,32", "w:0", "+us:",  "e"};

// Bends one number or pointer of the node, now and then.
void Bend(Input& input, Node& node) {
  switch (input.Byte()) {
    case 0: node.array.length = input.Impossible(); break;
    case 1: node.array.offset = input.Impossible(); break;
    case 2: node.array.null_count = input.Wild(); break;
    case 3: node.array.n_buffers = node.array.n_buffers > 0 ? node.array.n_buffers - 1 : 0; break;
    case 4: node.array.release = nullptr; break;
    case 5: node.schema.release = nullptr; break;
    case 6: node.array.buffers = nullptr; break;
    case 7: node.schema.dictionary = nullptr; break;
    case 8: node.array.dictionary = nullptr; break;
    case 9:
      node.array.n_children = node.array.n_children > 0 ? node.array.n_children - 1 : 0;
      break;
    case 10: node.schema.n_children = input.Wild(); break;
    case 11: node.array.children = nullptr; break;
    default: break;
  }
}

std::unique_ptr<Node> MakeNode(Input& input, int depth, int64_t length, const char* format) {
  auto node = std::make_unique<Node>();
  if (format == nullptr) {
    format = depth >= kFuzzDepthMax ? "i" : kFormats[input.Byte() % std::size(kFormats)];
  }
  node->format = format;
  node->array.offset = input.Sometimes() ? input.Byte() % 9 : 0;
  node->array.length = length + (input.Sometimes() ? input.Byte() % 3 : 0);
  node->array.null_count = input.Byte() % 4 == 0 ? input.Byte() % 5 : -1;
  DataType type;
  if (!parse_format(node->format.c_str(), &type)) abort();
  AddLayout(input, *node, type, depth);
  if (is_integer(type.id) && input.Sometimes()) {
    node->dictionary = MakeNode(input, depth + 1, input.Byte() % kFuzzLengthMax);
  }
  node->schema.format = node->format.c_str();
  node->schema.flags = input.Sometimes() ? ARROW_FLAG_NULLABLE : 0;
  node->schema.release = [](ArrowSchema* it) { it->release = nullptr; };
  node->array.release = [](ArrowArray* it) { it->release = nullptr; };
  for (auto& child : node->children) {
    node->schema_children.push_back(&child->schema);
    node->array_children.push_back(&child->array);
  }
  node->schema.n_children = static_cast<int64_t>(node->children.size());
  node->array.n_children = node->schema.n_children;
  node->schema.children = node->schema_children.data();
  node->array.children = node->array_children.data();
  node->array.n_buffers = static_cast<int64_t>(node->buffers.size());
  node->array.buffers = node->buffers.data();
  if (node->dictionary != nullptr) {
    node->schema.dictionary = &node->dictionary->schema;
    node->array.dictionary = &node->dictionary->array;
  }
  Bend(input, *node);
  return node;
}

}  // namespace
}  // namespace tombolo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tombolo;
  Input input(data, size);
  const std::unique_ptr<Node> root = MakeNode(input, 0, input.Byte() % kFuzzLengthMax);
  char error[128];
  tombolo_context context = {};
  context.error = error;
  context.error_bytes = sizeof error;
  const tombolo_status loose =
      validate(&context, &root->schema, &root->array, TOMBOLO_VALIDATE_STRUCTURE);
  if ((loose != TOMBOLO_OK) != (error[0] != '\0')) abort();
  const tombolo_status strict =
      validate(&context, &root->schema, &root->array, TOMBOLO_VALIDATE_FULL);
  if (strict == TOMBOLO_OK && loose != TOMBOLO_OK) abort();
  return 0;
}
