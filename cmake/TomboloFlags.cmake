# SPDX-License-Identifier: Apache-2.0
#
# How the sources are compiled and linked. The compile options are those of the #cgo lines in
# bridge/cgolink; native/flags_test.go holds the two together.
set(TOMBOLO_COMPILE_OPTIONS -std=c++20 -O2 -g1 -fno-exceptions -fno-rtti -fvisibility=hidden)

set(tombolo_sanitize_options "")
if(TOMBOLO_SANITIZE)
  string(REPLACE ";" "," sanitize_text "${TOMBOLO_SANITIZE}")
  set(tombolo_sanitize_options -fsanitize=${sanitize_text} -fno-omit-frame-pointer)
  if("undefined" IN_LIST TOMBOLO_SANITIZE)
    list(APPEND tombolo_sanitize_options -fno-sanitize-recover=undefined)
  endif()
  add_compile_options(${tombolo_sanitize_options})
  add_link_options(${tombolo_sanitize_options})
endif()

function(tombolo_library_flags target)
  target_include_directories(${target} PUBLIC
    ${PROJECT_SOURCE_DIR}/native/include ${PROJECT_SOURCE_DIR}/native/src)
  target_compile_options(${target} PRIVATE ${TOMBOLO_COMPILE_OPTIONS} -Wall -Wextra)
  if(TOMBOLO_TESTS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(TOMBOLO_DEBUG)
    target_compile_definitions(${target} PUBLIC TOMBOLO_DEBUG)
  endif()
  if(TOMBOLO_DIGEST)
    target_compile_definitions(${target} PRIVATE TOMBOLO_SOURCE_DIGEST="${TOMBOLO_DIGEST}")
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# The C driver links, so that a need of the C++ runtime is an error here and not on somebody's
# machine. Sanitized code needs symbols that only the program has.
function(tombolo_shared_link target)
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR})
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/tombolo.map)
  set_property(TARGET ${target} APPEND PROPERTY
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/tombolo.map)
  if(NOT TOMBOLO_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,defs -Wl,--as-needed)
  endif()
endfunction()
