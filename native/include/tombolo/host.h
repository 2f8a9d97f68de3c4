/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h: what tombolo's own library gives to the host on top of its kernels: a pooled allocator, the release
 * callbacks of exported structs with the queue behind them, and import validation. Other libraries need none of
 * it.
 */
#pragma once

#include "library.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Head of the memory block that holds every struct of one exported batch or schema. The host fills it before the
 * export; the release callbacks below find it in private_data.
 *
 * live counts the arrays of the block that are not released yet. The release that brings it to zero pushes the
 * block on queue, a lock-free list that only the host takes from, with one exchange of its head. From then on the
 * block belongs to the host again. next links the list.
 */
typedef struct tombolo_export_block {
  uint64_t next;
  uint64_t queue; /* address of the 8-byte head of the list */
  int32_t live;
  uint32_t slot; /* the host's own number for the block */
  uint64_t reserved[5];
} tombolo_export_block;

/* Byte counts of one allocator. Pooled memory is free, kept for reuse, and not part of live_bytes. */
typedef struct tombolo_allocator_stats {
  int64_t live_bytes;
  int64_t live_count;
  int64_t peak_bytes;
  int64_t pooled_bytes;
  int64_t allocations;
  int64_t pool_hits;
} tombolo_allocator_stats;

enum {
  TOMBOLO_VALIDATE_STRUCTURE = 1, /* counts, pointers, overflow, depth <= 64; no value is read */
  TOMBOLO_VALIDATE_FULL = 2       /* also offsets, indices, run ends, union ids, view ranges, UTF-8, null counts */
};

typedef struct tombolo_host {
  int32_t abi;
  int32_t reserved;

  /*
   * Makes an allocator. bytes_max bounds live bytes (0 = no bound); pool_bytes_max bounds what is kept for reuse.
   * close gives up the caller's hold: the pool is emptied, and the allocator itself goes when its last
   * allocation is freed. trim empties the pool.
   */
  tombolo_allocator* (*allocator_open)(int64_t bytes_max, int64_t pool_bytes_max);
  void (*allocator_stats)(tombolo_allocator*, tombolo_allocator_stats* out);
  void (*allocator_trim)(tombolo_allocator*);
  void (*allocator_close)(tombolo_allocator*);

  /* Release callbacks for structs inside a tombolo_export_block. They never call the host. */
  void (*release_root)(struct ArrowArray*);
  void (*release_child)(struct ArrowArray*);
  void (*release_schema)(struct ArrowSchema*);
  void (*release_schema_child)(struct ArrowSchema*);

  /* Checks a C array against its schema at the level; reads both, consumes neither. */
  tombolo_status (*validate)(tombolo_context*, const struct ArrowSchema*, const struct ArrowArray*, int32_t level);

  /* Does nothing and returns its argument: the floor of a crossing. */
  int64_t (*nothing)(int64_t);
} tombolo_host;

/* Returns the table, or NULL when this build cannot serve abi. Every call returns the same pointer. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const tombolo_host* tombolo_host_open(int32_t abi);

#ifdef __cplusplus
}
#endif
