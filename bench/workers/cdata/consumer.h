/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* Reads every field of the array and one byte of each buffer, then releases it: what the kernel touch does. */
int64_t bench_consume_array(uintptr_t array);

/* The same, and reads and releases the schema first. */
int64_t bench_consume_both(uintptr_t array, uintptr_t schema);
