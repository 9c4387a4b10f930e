# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails if the installation leaves out a tool that the tree ships.
file(READ "${build}/cmake_install.cmake" installation)
file(GLOB tools RELATIVE "${source}/tools" "${source}/tools/*/CMakeLists.txt")
if(NOT tools)
  message(FATAL_ERROR "there are no tools in ${source}/tools")
endif()
foreach(file IN LISTS tools)
  get_filename_component(tool "${file}" DIRECTORY)
  string(FIND "${installation}" "/lib${tool}.so" place)
  if(place EQUAL -1)
    message(SEND_ERROR "the installation has no ${tool}")
  endif()
endforeach()
