# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What an installed Luthier holds beyond its targets: the public headers, LLVM's
# AMDGPU headers that tools include through them, and luthier_add_tool() behind
# find_package(Luthier).
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/luthier" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${LUTHIER_LLVM_TABLES}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/luthier-llvm")
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/LuthierConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES cmake/LuthierConfig.cmake cmake/LuthierProfile.cmake cmake/LuthierTool.cmake cmake/LuthierToolHeaders.cmake
        cmake/compile-tool.sh
        "${CMAKE_CURRENT_BINARY_DIR}/LuthierConfigVersion.cmake"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/Luthier")
install(TARGETS luthier-ends LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/luthier/preloaded")
if(TARGET luthier-gpu)
  install(TARGETS luthier-gpu luthier-kfd LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/emulated")
endif()
include(LuthierInstallTool)
# `luthier pgo` runs two of them, so they belong to an installation, too.
get_property(tools DIRECTORY "${CMAKE_SOURCE_DIR}/tools" PROPERTY SUBDIRECTORIES)
foreach(directory IN LISTS tools)
  get_filename_component(tool "${directory}" NAME)
  if(TARGET ${tool})
    luthier_install_tool(${tool})
  endif()
endforeach()
