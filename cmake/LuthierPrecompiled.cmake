# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Precompiled headers. Most of the time of a build goes into reading LLVM's
# headers, the same ones for each file.
#   luthier_precompiled_headers(name KIND HEADERS h... [LIBRARIES l...] [FLAGS f...])
#                     a set of headers for targets of that kind (LIBRARY or
#                     PROGRAM), which are compiled with what follows from the
#                     libraries, and with the flags
#   luthier_use_precompiled_headers(target name)
include(LuthierToolHeaders) # LUTHIER_PRECOMPILED_HEADERS

function(luthier_precompiled_headers name kind)
  cmake_parse_arguments(arg "" "" "HEADERS;LIBRARIES;FLAGS" ${ARGN})
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  if(kind STREQUAL "PROGRAM")
    file(CONFIGURE OUTPUT "${source}" CONTENT "int main() {}\n")
    add_executable(${name} EXCLUDE_FROM_ALL "${source}")
  else()
    file(CONFIGURE OUTPUT "${source}" CONTENT "")
    add_library(${name} STATIC EXCLUDE_FROM_ALL "${source}")
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  target_compile_options(${name} PRIVATE ${arg_FLAGS})
  if(LUTHIER_PRECOMPILED_HEADERS)
    target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  endif()
  set_property(TARGET ${name} PROPERTY LUTHIER_FLAGS "${arg_FLAGS}")
endfunction()

function(luthier_use_precompiled_headers target name)
  get_target_property(flags ${name} LUTHIER_FLAGS)
  if(flags)
    target_compile_options(${target} PRIVATE ${flags})
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.c$") # Headers are of C++.
  if(LUTHIER_PRECOMPILED_HEADERS AND NOT sources)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
