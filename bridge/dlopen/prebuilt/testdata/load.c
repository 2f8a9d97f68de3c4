/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the library at argv[1] and asks it for its tables: what a C library other than the one it was built with must
 * be able to do. */
#include <dlfcn.h>
#include <stdio.h>

#include <tombolo/host.h>
#include <tombolo/library.h>

int main(int argc, char** argv) {
  void* handle = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (handle == NULL) {
    puts(dlerror());
    return 1;
  }
  const tombolo_library* (*open_library)(int32_t) = NULL;
  const tombolo_host* (*open_host)(int32_t) = NULL;
  *(void**)&open_library = dlsym(handle, "tombolo_library_open");
  *(void**)&open_host = dlsym(handle, "tombolo_host_open");
  if (open_library == NULL || open_host == NULL) return 2;
  const tombolo_library* library = open_library(TOMBOLO_ABI);
  const tombolo_host* host = open_host(TOMBOLO_ABI);
  if (library == NULL || host == NULL) return 3;
  tombolo_allocator* allocator = host->allocator_open(0, 1 << 20);
  void* memory = allocator->allocate(allocator, 1000);
  if (memory == NULL) return 4;
  allocator->free(allocator, memory);
  host->allocator_close(allocator);
  printf("%lld\n", (long long)host->nothing(7));
  return 0;
}
