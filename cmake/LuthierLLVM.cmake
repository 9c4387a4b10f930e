# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The distribution's shared LLVM and the private AMDGPU headers that belong to
# exactly this version of it.
#   luthier::llvm         libLLVM, public headers
#   luthier::llvm-amdgpu  the same plus lib/Target/AMDGPU's headers and tables
#   luthier::lld          lld as a library
set(LUTHIER_LLVM_MAJOR 22)
set(LUTHIER_LLVM_SOURCE_DIR "" CACHE PATH
    "LLVM source tree to take the AMDGPU headers from, instead of fetching them")

find_package(LLVM REQUIRED CONFIG PATHS /usr/lib/llvm-${LUTHIER_LLVM_MAJOR} NO_DEFAULT_PATH)
if(NOT LLVM_VERSION_MAJOR EQUAL LUTHIER_LLVM_MAJOR)
  message(FATAL_ERROR "LLVM ${LUTHIER_LLVM_MAJOR} is needed, found ${LLVM_VERSION}")
endif()
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND ${LLVM_DEFINITIONS})

add_library(luthier-llvm INTERFACE)
add_library(luthier::llvm ALIAS luthier-llvm)
target_include_directories(luthier-llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(luthier-llvm INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_libraries(luthier-llvm INTERFACE LLVM)

# Where setup.sh puts the headers; a clean rebuild does not fetch them again.
if(DEFINED ENV{LUTHIER_CACHE_DIR})
  set(cache "$ENV{LUTHIER_CACHE_DIR}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(cache "$ENV{XDG_CACHE_HOME}/luthier")
else()
  set(cache "$ENV{HOME}/.cache/luthier")
endif()
if(LUTHIER_LLVM_SOURCE_DIR)
  string(MD5 key "${LUTHIER_LLVM_SOURCE_DIR}")
  set(LUTHIER_LLVM_TABLES "${cache}/llvm-source-${key}")
else()
  execute_process(COMMAND dpkg-query -W -f=\${source:Version} llvm-${LUTHIER_LLVM_MAJOR}-dev
                  OUTPUT_VARIABLE package_version ERROR_QUIET)
  string(REGEX REPLACE "^[0-9]+:" "" package_version "${package_version}")
  set(LUTHIER_LLVM_TABLES "${cache}/llvm-${package_version}")
endif()
if(NOT EXISTS "${LUTHIER_LLVM_TABLES}/complete")
  message(STATUS "Preparing LLVM's AMDGPU headers (about two minutes, once)")
  execute_process(
    COMMAND ${CMAKE_SOURCE_DIR}/scripts/llvm-tables.sh ${LUTHIER_LLVM_TABLES} ${LUTHIER_LLVM_SOURCE_DIR}
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "LLVM's AMDGPU headers are missing: run scripts/setup.sh, "
                        "or set LUTHIER_LLVM_SOURCE_DIR")
  endif()
endif()

add_library(luthier-llvm-amdgpu INTERFACE)
add_library(luthier::llvm-amdgpu ALIAS luthier-llvm-amdgpu)
target_include_directories(luthier-llvm-amdgpu SYSTEM INTERFACE "${LUTHIER_LLVM_TABLES}/include")
target_link_libraries(luthier-llvm-amdgpu INTERFACE luthier-llvm)

add_library(luthier-lld INTERFACE)
add_library(luthier::lld ALIAS luthier-lld)
target_link_libraries(luthier-lld INTERFACE
  ${LLVM_LIBRARY_DIR}/liblldELF.a ${LLVM_LIBRARY_DIR}/liblldCommon.a
  luthier-llvm z zstd)
