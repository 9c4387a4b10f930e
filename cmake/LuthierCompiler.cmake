# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Warnings, sanitizers, compiler cache and linker for everything in the tree.
set(LUTHIER_SANITIZERS "" CACHE STRING "Sanitizers, as -fsanitize= takes them")
option(LUTHIER_WERROR "Treat warnings as errors" ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Assertions guard our own invariants and cost little next to code generation.
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(LUTHIER_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # ccache and precompiled headers work together only without time stamps.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang$<SEMICOLON>-fno-pch-timestamp>)
  add_link_options(-fuse-ld=lld)
endif()
set(LUTHIER_NO_UNDEFINED LINKER:--no-undefined)
if(LUTHIER_SANITIZERS)
  # Shared, so that it can be preloaded into programs that are built without.
  add_compile_options(-fsanitize=${LUTHIER_SANITIZERS} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LUTHIER_SANITIZERS} -shared-libsan -frtlib-add-rpath)
endif()

find_program(LUTHIER_CCACHE ccache)
if(LUTHIER_CCACHE)
  set(LUTHIER_CACHED_COMPILE "${CMAKE_SOURCE_DIR}/cmake/cached-compile.sh" "${LUTHIER_CCACHE}" "${CMAKE_SOURCE_DIR}")
  set(CMAKE_C_COMPILER_LAUNCHER ${LUTHIER_CACHED_COMPILE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LUTHIER_CACHED_COMPILE})
endif()
