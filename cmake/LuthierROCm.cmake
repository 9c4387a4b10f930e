# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The distribution's ROCm.
#   luthier::hsa      ROCr: headers and library
#   luthier_add_hip_program(name sources... [ON_DEMAND] [TARGETS gfx...] [FLAGS ...] [LIBRARIES ...])
#                     compiles a program with the distribution's own hipcc, as
#                     its users do; luthier never sees its source. ON_DEMAND:
#                     not in every build
find_library(LUTHIER_HSA_LIBRARY hsa-runtime64 REQUIRED)
find_path(LUTHIER_HSA_INCLUDE hsa/hsa.h REQUIRED)
find_path(LUTHIER_DRM_INCLUDE libdrm/amdgpu.h REQUIRED)
find_program(LUTHIER_HIPCC hipcc REQUIRED)

add_library(luthier-hsa INTERFACE)
add_library(luthier::hsa ALIAS luthier-hsa)
# hsa_api_trace.h declares the interception tables only for this definition, and
# includes its neighbours without their folder.
target_compile_definitions(luthier-hsa INTERFACE AMD_INTERNAL_BUILD)
target_include_directories(luthier-hsa SYSTEM INTERFACE "${LUTHIER_HSA_INCLUDE}" "${LUTHIER_HSA_INCLUDE}/hsa")
target_link_libraries(luthier-hsa INTERFACE ${LUTHIER_HSA_LIBRARY})

function(luthier_add_hip_program name)
  cmake_parse_arguments(arg "ON_DEMAND" "OUTPUT_DIRECTORY" "TARGETS;FLAGS;LIBRARIES" ${ARGN})
  if(NOT arg_TARGETS)
    set(arg_TARGETS gfx90a)
  endif()
  if(NOT arg_OUTPUT_DIRECTORY)
    set(arg_OUTPUT_DIRECTORY "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  endif()
  if(NOT arg_FLAGS)
    set(arg_FLAGS -O3)
  endif()
  list(TRANSFORM arg_TARGETS PREPEND --offload-arch=)
  set(sources)
  foreach(source ${arg_UNPARSED_ARGUMENTS})
    cmake_path(ABSOLUTE_PATH source)
    list(APPEND sources "${source}")
  endforeach()
  set(program "${arg_OUTPUT_DIRECTORY}/${name}")
  add_custom_command(
    OUTPUT "${program}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${arg_OUTPUT_DIRECTORY}"
    # hipcc reports its own deprecations through warnings we cannot act on.
    COMMAND ${LUTHIER_HIPCC} -w ${arg_TARGETS} ${arg_FLAGS} -MD -MF "${CMAKE_CURRENT_BINARY_DIR}/${name}.d"
            -MT "${program}" -I "${CMAKE_CURRENT_SOURCE_DIR}" ${sources} -o "${program}" ${arg_LIBRARIES}
    DEPENDS ${sources}
    DEPFILE "${CMAKE_CURRENT_BINARY_DIR}/${name}.d"
    COMMENT "Building HIP program ${name}"
    VERBATIM)
  set(all ALL)
  if(arg_ON_DEMAND)
    set(all)
  endif()
  add_custom_target(${name} ${all} DEPENDS "${program}")
endfunction()
