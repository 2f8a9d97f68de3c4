/* SPDX-License-Identifier: Apache-2.0 */
/*
 * consumer.h: a consumer of the C Data Interface as unfriendly as the rules allow. It moves structs, wipes what
 * it moved them from, moves children out before it releases the parent, and does so on threads that Go knows
 * nothing of.
 */
#pragma once

#include <stdint.h>
#include <tombolo/abi.h>

enum {
  CONSUMER_WHOLE = 0,         /* release the root */
  CONSUMER_CHILDREN_LAST = 1, /* move children out, release the root, read them, release them */
  CONSUMER_CHILDREN_FIRST = 2 /* move children out, release them in reverse order, then the root */
};

/* Reads and releases the array on the calling thread. Returns the sum of the first bytes of all buffers. */
uint64_t consumer_take(struct ArrowArray* array, int how);

/* Starts and ends the foreign threads; the end waits until everything given is released. */
int consumer_start(int threads);
void consumer_stop(void);

/* Moves the array to a foreign thread, which does the same. Waits while too many are under way. */
void consumer_give(struct ArrowArray* array, int how);

/* What the foreign threads have read so far. */
uint64_t consumer_sum(void);
