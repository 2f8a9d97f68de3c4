/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A consumer of libtombolo in plain C11: opens both tables, binds a kernel, gives it a batch of its
 * own and reads the result.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tombolo/host.h>
#include <tombolo/library.h>

_Static_assert(sizeof(struct ArrowSchema) == 72 || sizeof(void*) != 8, "size of ArrowSchema");
_Static_assert(sizeof(struct ArrowArray) == 80 || sizeof(void*) != 8, "size of ArrowArray");

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

static int releases;

static void release_array(struct ArrowArray* array) {
  for (int64_t i = 0; i < array->n_children; i++) {
    if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
  }
  array->release = NULL;
  releases++;
}

static void release_schema(struct ArrowSchema* schema) {
  for (int64_t i = 0; i < schema->n_children; i++) {
    if (schema->children[i]->release != NULL) schema->children[i]->release(schema->children[i]);
  }
  schema->release = NULL;
}

static const tombolo_kernel* find_kernel(const tombolo_library* library, const char* name) {
  for (int64_t i = 0; i < library->kernel_count; i++) {
    if (strcmp(library->kernels[i].name, name) == 0) return &library->kernels[i];
    CHECK(i == 0 || strcmp(library->kernels[i - 1].name, library->kernels[i].name) < 0);
  }
  return NULL;
}

/* One int32 column of four rows, on static memory. */
static int32_t values[] = {3, 5, 7, 11};
static const void* column_buffers[] = {NULL, values};
static const void* root_buffers[] = {NULL};
static struct ArrowArray column;
static struct ArrowArray* columns[] = {&column};
static struct ArrowSchema field;
static struct ArrowSchema* fields[] = {&field};

static void fill_schema(struct ArrowSchema* schema) {
  field = (struct ArrowSchema){.format = "i", .name = "a", .flags = ARROW_FLAG_NULLABLE};
  field.release = release_schema;
  *schema = (struct ArrowSchema){.format = "+s", .n_children = 1, .children = fields};
  schema->release = release_schema;
}

static void fill_batch(struct ArrowArray* batch) {
  column = (struct ArrowArray){.length = 4, .n_buffers = 2, .buffers = column_buffers};
  column.release = release_array;
  *batch = (struct ArrowArray){
      .length = 4, .n_buffers = 1, .n_children = 1, .buffers = root_buffers, .children = columns};
  batch->release = release_array;
}

static void drive_touch(const tombolo_library* library, tombolo_context* context) {
  const tombolo_kernel* touch = find_kernel(library, "touch");
  CHECK(touch != NULL && touch->kind == TOMBOLO_KERNEL_ACCUMULATE);

  struct ArrowSchema schema, result_schema;
  const struct ArrowSchema* inputs[] = {&schema};
  void* bound = NULL;
  void* state = NULL;
  fill_schema(&schema);
  CHECK(touch->bind(context, 1, inputs, 0, NULL, &bound, &result_schema) == TOMBOLO_OK);
  CHECK(strcmp(result_schema.children[0]->format, "l") == 0);
  CHECK(schema.release != NULL); /* a schema is only read */
  CHECK(touch->open(context, bound, &state) == TOMBOLO_OK);

  struct ArrowArray batch, result;
  fill_batch(&batch);
  CHECK(touch->consume(context, bound, state, &batch) == TOMBOLO_OK);
  CHECK(batch.release == NULL && releases == 2);

  /* The same batch again: it is released now. */
  CHECK(touch->consume(context, bound, state, &batch) == TOMBOLO_RELEASED);
  CHECK(context->error[0] != '\0');

  CHECK(touch->finish(context, bound, state, &result) == TOMBOLO_OK);
  /* lengths 4 + 4, buffers 1 + 2, children 1, first byte 3 */
  CHECK(((const int64_t*)result.children[0]->buffers[1])[0] == 15);
  result.release(&result);
  CHECK(result.release == NULL);

  touch->close(state);
  touch->unbind(bound);
  result_schema.release(&result_schema);
  schema.release(&schema);
}

static void drive_validate(const tombolo_host* host, tombolo_context* context) {
  struct ArrowSchema schema;
  struct ArrowArray batch;
  fill_schema(&schema);
  fill_batch(&batch);
  CHECK(host->validate(context, &schema, &batch, TOMBOLO_VALIDATE_FULL) == TOMBOLO_OK);
  column.null_count = 5;
  CHECK(host->validate(context, &schema, &batch, TOMBOLO_VALIDATE_STRUCTURE) == TOMBOLO_INVALID);
  CHECK(strcmp(context->error, "null_count exceeds length, at 0") == 0 && context->column == 0);
  batch.release(&batch);
  schema.release(&schema);
}

int main(void) {
  CHECK(tombolo_library_open(TOMBOLO_ABI + 1) == NULL);
  CHECK(tombolo_host_open(TOMBOLO_ABI + 1) == NULL);
  const tombolo_library* library = tombolo_library_open(TOMBOLO_ABI);
  const tombolo_host* host = tombolo_host_open(TOMBOLO_ABI);
  CHECK(library != NULL && library == tombolo_library_open(TOMBOLO_ABI));
  CHECK(host != NULL && host == tombolo_host_open(TOMBOLO_ABI));
  CHECK(library->abi == TOMBOLO_ABI && host->abi == TOMBOLO_ABI);
  CHECK(strcmp(library->version, TOMBOLO_VERSION) == 0);
  CHECK(host->nothing(42) == 42);

  char error[256];
  tombolo_allocator* allocator = host->allocator_open(0, 1 << 20);
  tombolo_context context = {.struct_bytes = sizeof context,
                             .allocator = allocator,
                             .error = error,
                             .error_bytes = sizeof error,
                             .simd_level = library->simd_level};
  drive_touch(library, &context);
  drive_validate(host, &context);

  tombolo_allocator_stats stats;
  host->allocator_stats(allocator, &stats);
  CHECK(stats.live_count == 0 && stats.live_bytes == 0 && stats.peak_bytes > 0);
  host->allocator_close(allocator);
  puts("ok");
  return 0;
}
