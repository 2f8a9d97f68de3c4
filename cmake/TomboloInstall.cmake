# SPDX-License-Identifier: Apache-2.0
#
# Installs libraries, headers, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)

set(tombolo_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tombolo)

install(TARGETS tombolo tombolo_static EXPORT tomboloTargets)
install(DIRECTORY native/include/tombolo TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(EXPORT tomboloTargets NAMESPACE tombolo:: DESTINATION ${tombolo_package_dir})

configure_package_config_file(cmake/tomboloConfig.cmake.in tomboloConfig.cmake
  INSTALL_DESTINATION ${tombolo_package_dir})
write_basic_package_version_file(tomboloConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tomboloConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/tomboloConfigVersion.cmake DESTINATION ${tombolo_package_dir})

configure_file(cmake/tombolo.pc.in tombolo.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tombolo.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
