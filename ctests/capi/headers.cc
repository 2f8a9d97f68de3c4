// SPDX-License-Identifier: Apache-2.0
//
// Compiles when every public header stands alone as C++17, twice over, beside the declarations of
// another copy of the Arrow structs.
#include <tombolo/host.h>
#include <tombolo/library.h>
#include <tombolo/version.h>
// The order is the point: the last header is included first elsewhere.
#include <tombolo/abi.h>
#include <tombolo/host.h>

static_assert(sizeof(ArrowSchema) == 72 || sizeof(void*) != 8, "size of ArrowSchema");
static_assert(sizeof(ArrowArray) == 80 || sizeof(void*) != 8, "size of ArrowArray");
static_assert(sizeof(ArrowArrayStream) == 40 || sizeof(void*) != 8, "size of ArrowArrayStream");
static_assert(sizeof(ArrowDeviceArray) == 128 || sizeof(void*) != 8, "size of ArrowDeviceArray");
static_assert(sizeof(tombolo_export_block) == 64, "size of tombolo_export_block");
