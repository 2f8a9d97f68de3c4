/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h: what a kernel library exports.
 *
 * A library is one function, tombolo_library_open, that returns a table of kernels. Anybody may implement it, in
 * any language with a C ABI; tombolo's own library is the first implementer. A kernel is bound once to the
 * schemas of its inputs, its options and its prepared objects, and then runs per batch: a schema never crosses
 * per batch.
 *
 * Ownership, one rule for every function: an ArrowArray given as an input is consumed on success and on failure
 * (its release is NULL on return); an ArrowSchema given to prepare or bind is only read. An output struct is
 * filled on success alone; after an error its release is NULL and there is nothing to release. A map kernel never
 * keeps its input past the call; accumulate and emit kernels copy what they need.
 *
 * Threads: the table, kernels, bound kernels and objects are immutable and shared freely. A state belongs to one
 * caller at a time. No function here calls back into the host but through the context's allocator.
 */
#pragma once

#include "abi.h"
#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Outcome of every call. Zero is success; the text of a failure is in the context's error buffer. */
typedef int32_t tombolo_status;
enum {
  TOMBOLO_OK = 0,
  TOMBOLO_INVALID = 1,        /* an argument, option or array breaks the contract */
  TOMBOLO_TYPE = 2,           /* the kernel does not take this type */
  TOMBOLO_UNSUPPORTED = 3,    /* known, but not built here */
  TOMBOLO_MEMORY = 4,         /* the allocator returned NULL */
  TOMBOLO_BUDGET = 5,         /* the byte budget of the call or the allocator is spent */
  TOMBOLO_CANCELLED = 6,      /* the cancel flag was seen */
  TOMBOLO_OVERFLOW = 7,       /* a value does not fit its result type */
  TOMBOLO_DIVIDE_BY_ZERO = 8, /* integer division by zero */
  TOMBOLO_INDEX = 9,          /* an index lies outside its values */
  TOMBOLO_RELEASED = 10,      /* an input was released already */
  TOMBOLO_INTERNAL = 11       /* an invariant of the library is broken: report it */
};

/* SIMD levels in rising order; a level includes those below it on the same architecture. */
enum {
  TOMBOLO_SIMD_BASE = 0,  /* SSE2 on amd64, NEON on arm64 */
  TOMBOLO_SIMD_AVX2 = 1,  /* AVX2, BMI1, BMI2, LZCNT, POPCNT */
  TOMBOLO_SIMD_AVX512 = 2 /* AVX-512 F, BW, CD, DQ, VL, VBMI2, VPOPCNTDQ */
};

/*
 * Memory for outputs and states. allocate returns size bytes aligned to 64, not zeroed, or NULL; size may be 0.
 * free takes what allocate returned, from any thread. Both are safe for concurrent use.
 */
typedef struct tombolo_allocator {
  void* (*allocate)(struct tombolo_allocator* self, int64_t size_bytes);
  void (*free)(struct tombolo_allocator* self, void* memory);
} tombolo_allocator;

/*
 * What a call may use and where it leaves word of a failure. The caller owns it; it outlives the call and is used
 * by one call at a time. argument and column are written with the error text: the position of the input and of
 * the column in it that caused the failure, or -1.
 */
typedef struct tombolo_context {
  int64_t struct_bytes;         /* sizeof(tombolo_context), set by the caller */
  tombolo_allocator* allocator; /* never NULL */
  int64_t bytes_max;            /* what this call may allocate; 0 = no budget of its own */
  int64_t bytes_used;           /* running count against bytes_max, reset by the caller */
  const int32_t* cancel;        /* polled with atomic loads at least every 64 KiB of input; may be NULL */
  char* error;                  /* NUL-terminated text, cut to fit; no data values in it */
  int64_t error_bytes;          /* capacity of error; 0 = no text wanted */
  int32_t argument;
  int32_t column;
  int32_t simd_level;           /* the highest level that the call may use */
  int32_t reserved;
} tombolo_context;

/*
 * A prepared object: built once, read by many bound kernels (value sets, build sides, reference batches). kind
 * is the name it was prepared under. retain and release are safe for concurrent use.
 */
typedef struct tombolo_object {
  const char* kind;
  void (*retain)(struct tombolo_object* self);
  void (*release)(struct tombolo_object* self);
} tombolo_object;

enum {
  TOMBOLO_OPTION_INTEGER = 1,
  TOMBOLO_OPTION_REAL = 2,
  TOMBOLO_OPTION_TEXT = 3,
  TOMBOLO_OPTION_BOOLEAN = 4,
  TOMBOLO_OPTION_TYPE = 5,  /* a data type, as a schema that is only read */
  TOMBOLO_OPTION_OBJECT = 6 /* a prepared object; bind retains it if it keeps it */
};

/* One named option. A name may appear more than once where the kernel says so; order is kept. */
typedef struct tombolo_option {
  const char* name;
  int32_t kind;
  int32_t reserved;
  int64_t text_bytes; /* length of value.text without its NUL */
  union {
    int64_t integer; /* also BOOLEAN: 0 or 1 */
    double real;
    const char* text;
    const struct ArrowSchema* type;
    tombolo_object* object;
  } value;
} tombolo_option;

enum {
  TOMBOLO_KERNEL_MAP = 1,        /* run: batches in, one batch out */
  TOMBOLO_KERNEL_ACCUMULATE = 2, /* open, consume ..., merge ..., finish, close */
  TOMBOLO_KERNEL_EMIT = 3        /* open, push and next in turn, close */
};

/*
 * One kernel. Functions that its kind does not name are NULL. Every input and output is a struct array, that is,
 * a record batch: its fields are the kernel's columns.
 *
 * bind    reads input_count schemas and the options; on success *bound is set and output holds the schema of the
 *         result (the caller releases it).
 * run     consumes one array for each bound input and fills output. The inputs may differ in length where the
 *         kernel says so.
 * open    makes a state; close frees it, NULL allowed.
 * consume adds a batch to a state.
 * merge   adds the whole of other to state; other is left empty but must still be closed.
 * finish  fills output and leaves the state empty.
 * push    gives a batch to a state; with a NULL input it says that no more will come.
 * next    fills output with the next batch, or leaves output->release NULL when it needs a push first (or, after
 *         the last push, when there is nothing left).
 */
typedef struct tombolo_kernel {
  const char* name;
  int32_t kind;
  int32_t input_count; /* how many inputs bind takes; -1 = any number from 1 */
  tombolo_status (*bind)(tombolo_context*, int64_t input_count, const struct ArrowSchema* const* inputs,
                         int64_t option_count, const tombolo_option* options, void** bound,
                         struct ArrowSchema* output);
  void (*unbind)(void* bound);
  tombolo_status (*run)(tombolo_context*, const void* bound, struct ArrowArray* const* inputs,
                        struct ArrowArray* output);
  tombolo_status (*open)(tombolo_context*, const void* bound, void** state);
  tombolo_status (*consume)(tombolo_context*, const void* bound, void* state, struct ArrowArray* input);
  tombolo_status (*merge)(tombolo_context*, const void* bound, void* state, void* other);
  tombolo_status (*finish)(tombolo_context*, const void* bound, void* state, struct ArrowArray* output);
  tombolo_status (*push)(tombolo_context*, const void* bound, void* state, struct ArrowArray* input);
  tombolo_status (*next)(tombolo_context*, const void* bound, void* state, struct ArrowArray* output);
  void (*close)(void* state);
} tombolo_kernel;

/*
 * A library. All of it is static: it lives until the process ends, and libraries are never unloaded.
 *
 * prepare reads the schema, consumes the batch and makes an object of the named kind; the object may keep the
 * batch, and release it when it goes itself, on any thread. NULL where the library has no objects.
 */
typedef struct tombolo_library {
  int32_t abi;          /* TOMBOLO_ABI of the header it was built with */
  int32_t simd_level;   /* the highest level that this build has and this machine runs */
  const char* name;
  const char* version;
  const char* source_digest; /* SHA-256 of the sources in hex, or "" when the build does not know it */
  int64_t kernel_count;
  const tombolo_kernel* kernels; /* sorted by name */
  tombolo_status (*prepare)(tombolo_context*, const char* kind, const struct ArrowSchema* schema,
                            struct ArrowArray* batch, int64_t option_count, const tombolo_option* options,
                            tombolo_object** object);
} tombolo_library;

/*
 * The one entry point of a library. Returns its table, or NULL when the library cannot serve abi. Safe for
 * concurrent use; every call returns the same pointer.
 */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const tombolo_library* tombolo_library_open(int32_t abi);

#ifdef __cplusplus
}
#endif
