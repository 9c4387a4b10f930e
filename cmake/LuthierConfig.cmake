# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(Luthier) for tool authors: gives luthier_add_tool(); for
# users of profiles also luthier_add_profiled_program().
get_filename_component(luthier_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(LUTHIER_LLVM_MAJOR 22)
# LLVM looks for libraries with C tests.
enable_language(C)
find_package(LLVM REQUIRED CONFIG PATHS /usr/lib/llvm-${LUTHIER_LLVM_MAJOR} NO_DEFAULT_PATH)

foreach(library runtime:SHARED:libluthier.so tool-support:STATIC:libluthier-tool-support.a)
  string(REPLACE ":" ";" parts "${library}")
  list(GET parts 0 name)
  list(GET parts 1 kind)
  list(GET parts 2 file)
  if(NOT TARGET luthier-${name})
    add_library(luthier-${name} ${kind} IMPORTED)
    set_target_properties(luthier-${name} PROPERTIES IMPORTED_LOCATION "${luthier_prefix}/lib/${file}")
  endif()
endforeach()

include("${CMAKE_CURRENT_LIST_DIR}/LuthierTool.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/LuthierProfile.cmake")
set(LUTHIER_COMMAND "${luthier_prefix}/bin/luthier")
set(LUTHIER_COMMAND_NEEDS)
set(LUTHIER_TOOL_DIRECTORY "${CMAKE_BINARY_DIR}")
set(LUTHIER_TOOL_PLUGIN "${luthier_prefix}/lib/luthier-plugin.so")
set(LUTHIER_TOOL_INCLUDES "${luthier_prefix}/include")
set(LUTHIER_TOOL_SYSTEM_INCLUDES "${LLVM_INCLUDE_DIRS}" "${luthier_prefix}/include/luthier-llvm")
