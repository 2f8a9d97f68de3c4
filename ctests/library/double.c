/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel library in one file, against native/include/tombolo/library.h alone: "double" gives an int64 column
 * times two.
 *
 *   cc -std=c11 -O2 -fPIC -shared -I native/include ctests/library/double.c -o double.so
 *
 * LIE makes it break its promises, one at a time, for the tests of the host.
 */
#include <stdlib.h>
#include <string.h>

#include <tombolo/library.h>

#ifndef LIE
#define LIE 0
#endif
enum { LIE_ABI = 1, LIE_NULL = 2, LIE_OFFSET = 3, LIE_KIND = 4, LIE_NAME = 5 };

/* Everything that one struct points to lies behind it, so that one free ends it. */
typedef struct { struct ArrowSchema child, *children[1]; } schema_parts;
typedef struct {
  struct ArrowArray child, *children[1];
  const void *none[1], *buffers[2];
  int64_t values[];
} array_parts;

static void release_schema(struct ArrowSchema* s) { free(s->private_data); s->release = NULL; }
static void release_array(struct ArrowArray* a) { free(a->private_data); a->release = NULL; }

static tombolo_status bind(tombolo_context* context, int64_t count, const struct ArrowSchema* const* inputs,
                           int64_t option_count, const tombolo_option* options, void** bound,
                           struct ArrowSchema* output) {
  (void)count; (void)options;
  static int token;
  if (option_count != 0) return TOMBOLO_INVALID;
  if (inputs[0]->n_children != 1 || strcmp(inputs[0]->children[0]->format, "l") != 0) {
    context->column = 0;
    return TOMBOLO_TYPE;
  }
  schema_parts* parts = calloc(1, sizeof *parts);
  if (parts == NULL) return TOMBOLO_MEMORY;
  parts->child = (struct ArrowSchema){.format = "l", .name = "doubled", .flags = ARROW_FLAG_NULLABLE,
                                      .release = release_schema};
  parts->children[0] = &parts->child;
  *output = (struct ArrowSchema){.format = "+s", .name = "", .n_children = 1, .children = parts->children,
                                 .release = release_schema, .private_data = parts};
  *bound = &token;
  return TOMBOLO_OK;
}

static void unbind(void* bound) { (void)bound; }

static tombolo_status run(tombolo_context* context, const void* bound, struct ArrowArray* const* inputs,
                          struct ArrowArray* output) {
  (void)context; (void)bound;
  const struct ArrowArray* column = inputs[0]->children[0];
  const int64_t rows = inputs[0]->length, offset = column->offset + inputs[0]->offset;
  array_parts* parts = calloc(1, sizeof *parts + (size_t)rows * 8 + 8 + (size_t)rows / 8);
  if (parts != NULL) {
    const int64_t* in = column->buffers[1];
    const unsigned char* valid = column->null_count == 0 ? NULL : column->buffers[0];
    unsigned char* bits = (unsigned char*)(parts->values + rows);
    int64_t nulls = 0;
    for (int64_t i = 0; i < rows; i++) {
      const int there = valid == NULL || (valid[(i + offset) / 8] >> ((i + offset) % 8) & 1);
      nulls += !there;
      if (!there) continue;
      bits[i / 8] |= (unsigned char)(1u << (i % 8));
      parts->values[i] = (int64_t)((uint64_t)in[i + offset] * 2);
    }
    parts->buffers[0] = bits;
    parts->buffers[1] = parts->values;
    parts->child = (struct ArrowArray){.length = rows, .null_count = nulls, .n_buffers = 2, .buffers = parts->buffers,
                                       .offset = LIE == LIE_OFFSET ? -1 : 0, .release = release_array};
    parts->children[0] = &parts->child;
    *output = (struct ArrowArray){.length = rows, .n_buffers = 1, .n_children = 1, .buffers = parts->none,
                                  .children = parts->children, .release = release_array, .private_data = parts};
  }
  inputs[0]->release(inputs[0]);
  return parts == NULL ? TOMBOLO_MEMORY : TOMBOLO_OK;
}

static const tombolo_kernel kernels[] = {{
    .name = LIE == LIE_NAME ? NULL : "double", .kind = LIE == LIE_KIND ? 9 : TOMBOLO_KERNEL_MAP, .input_count = 1,
    .bind = bind, .unbind = unbind, .run = LIE == LIE_NULL ? NULL : run}};

static const tombolo_library library = {
    .abi = LIE == LIE_ABI ? TOMBOLO_ABI + 7 : TOMBOLO_ABI, .name = "double", .version = "1", .source_digest = "",
    .kernel_count = 1, .kernels = kernels};

const tombolo_library* tombolo_library_open(int32_t abi) { return abi == library.abi ? &library : NULL; }
