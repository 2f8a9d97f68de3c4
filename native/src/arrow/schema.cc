// SPDX-License-Identifier: Apache-2.0
#include "arrow/schema.h"

namespace tombolo {
inline namespace v0 {
namespace {

constexpr int32_t kDepthMax = 64;
constexpr int64_t kColumnsMax = 1 << 20;

// What a schema node of ours owns: one allocation with its children and its strings behind it.
struct SchemaNode {
  tombolo_allocator* allocator;
  ArrowSchema dictionary;
};

void release_schema_node(ArrowSchema* schema) noexcept {
  for (int64_t i = 0; i < schema->n_children; i++) {
    ArrowSchema* child = schema->children[i];
    if (child->release != nullptr) child->release(child);
  }
  if (schema->dictionary != nullptr && schema->dictionary->release != nullptr) {
    schema->dictionary->release(schema->dictionary);
  }
  auto* node = static_cast<SchemaNode*>(schema->private_data);
  schema->release = nullptr;
  node->allocator->free(node->allocator, node);
}

// Length in bytes of encoded metadata: a count, then for each pair two lengths with their bytes.
int64_t metadata_bytes(const char* metadata) noexcept {
  if (metadata == nullptr) return 0;
  int32_t count = 0;
  memcpy(&count, metadata, sizeof count);
  int64_t position = sizeof count;
  for (int32_t i = 0; i < 2 * count; i++) {
    int32_t length = 0;
    memcpy(&length, metadata + position, sizeof length);
    position += static_cast<int64_t>(sizeof length) + length;
  }
  return position;
}

struct NodeText {
  const char* format;
  const char* name;
  const char* metadata;
};

Status open_node(Context& context, ArrowSchema* out, const NodeText& text, int64_t flags,
                 int64_t child_count) noexcept {
  memset(out, 0, sizeof *out);
  const int64_t format_bytes = static_cast<int64_t>(strlen(text.format)) + 1;
  const int64_t name_bytes =
      text.name == nullptr ? 0 : static_cast<int64_t>(strlen(text.name)) + 1;
  const int64_t meta_bytes = metadata_bytes(text.metadata);
  const int64_t children_at = static_cast<int64_t>(sizeof(SchemaNode));
  const int64_t pointers_at = children_at + child_count * static_cast<int64_t>(sizeof(ArrowSchema));
  const int64_t text_at = pointers_at + child_count * static_cast<int64_t>(sizeof(ArrowSchema*));
  Status status = TOMBOLO_OK;
  void* memory =
      context.allocate(text_at + format_bytes + name_bytes + meta_bytes, &status);
  if (memory == nullptr) return status;
  char* base = static_cast<char*>(memory);
  memset(base, 0, static_cast<size_t>(text_at));
  new (base) SchemaNode{context.allocator(), {}};
  auto* children = reinterpret_cast<ArrowSchema*>(base + children_at);
  auto** pointers = reinterpret_cast<ArrowSchema**>(base + pointers_at);
  for (int64_t i = 0; i < child_count; i++) pointers[i] = &children[i];

  char* strings = base + text_at;
  memcpy(strings, text.format, static_cast<size_t>(format_bytes));
  out->format = strings;
  strings += format_bytes;
  if (text.name != nullptr) {
    memcpy(strings, text.name, static_cast<size_t>(name_bytes));
    out->name = strings;
    strings += name_bytes;
  }
  if (text.metadata != nullptr) {
    memcpy(strings, text.metadata, static_cast<size_t>(meta_bytes));
    out->metadata = strings;
  }
  out->flags = flags;
  out->n_children = child_count;
  out->children = child_count > 0 ? pointers : nullptr;
  out->private_data = memory;
  out->release = release_schema_node;
  return TOMBOLO_OK;
}

Status copy_node(Context& context, const ArrowSchema* schema, ArrowSchema* out,
                 int32_t depth) noexcept {
  out->release = nullptr;
  if (schema == nullptr || schema->release == nullptr) {
    return context.fail(TOMBOLO_RELEASED, "a released schema");
  }
  if (depth > kDepthMax) return context.fail(TOMBOLO_INVALID, "schema nested too deep");
  if (schema->format == nullptr || schema->n_children < 0 || schema->n_children > kColumnsMax) {
    return context.fail(TOMBOLO_INVALID, "schema without format, or with a bad count of children");
  }
  Status status = open_node(context, out, {schema->format, schema->name, schema->metadata},
                            schema->flags, schema->n_children);
  for (int64_t i = 0; status == TOMBOLO_OK && i < schema->n_children; i++) {
    status = copy_node(context, schema->children[i], out->children[i], depth + 1);
  }
  if (status == TOMBOLO_OK && schema->dictionary != nullptr) {
    out->dictionary = &static_cast<SchemaNode*>(out->private_data)->dictionary;
    status = copy_node(context, schema->dictionary, out->dictionary, depth + 1);
  }
  if (status != TOMBOLO_OK && out->release != nullptr) out->release(out);
  return status;
}

}  // namespace

Status copy_schema(Context& context, const ArrowSchema* schema, ArrowSchema* out) noexcept {
  return copy_node(context, schema, out, 0);
}

Status open_schema(Context& context, ArrowSchema* out, const char* format, const char* name,
                   int64_t flags, int64_t child_count) noexcept {
  return open_node(context, out, {format, name, nullptr}, flags, child_count);
}

Status Schema::open(Context& context, const ArrowSchema* schema) noexcept {
  if (schema == nullptr || schema->release == nullptr) {
    return context.fail(TOMBOLO_RELEASED, "a released schema");
  }
  if (schema->format == nullptr || strcmp(schema->format, "+s") != 0) {
    return context.fail(TOMBOLO_TYPE, "an input must be a struct, that is, a record batch");
  }
  Status status = copy_schema(context, schema, &copy_);
  if (status != TOMBOLO_OK) return status;
  column_count_ = static_cast<int32_t>(copy_.n_children);
  status = fields_.allocate_zeroed(context,
                                   column_count_ * static_cast<int64_t>(sizeof(Field)));
  if (status != TOMBOLO_OK) return status;
  for (int32_t i = 0; i < column_count_; i++) {
    const ArrowSchema* child = copy_.children[i];
    Field* field = new (fields_.as<Field>() + i) Field();
    field->schema = child;
    field->nullable = (child->flags & ARROW_FLAG_NULLABLE) != 0;
    field->encoded = child->dictionary != nullptr;
    const char* value_format = field->encoded ? child->dictionary->format : child->format;
    if (!parse_format(value_format, &field->type) ||
        (field->encoded && !parse_format(child->format, &field->index))) {
      return context.fail(TOMBOLO_INVALID, "a format string outside the grammar", i);
    }
    if (field->encoded && !is_integer(field->index.id)) {
      return context.fail(TOMBOLO_INVALID, "dictionary indices must be integers", i);
    }
  }
  return TOMBOLO_OK;
}

bool same_type(const Field& a, const Field& b) noexcept {
  const char* x = a.encoded ? a.schema->dictionary->format : a.schema->format;
  const char* y = b.encoded ? b.schema->dictionary->format : b.schema->format;
  return strcmp(x, y) == 0;
}

}  // namespace v0
}  // namespace tombolo
