# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds Luthier tools: HIP files compiled for the host and for each target, with
# Luthier's plugin, into one shared library.
#   luthier_add_tool(name sources... [TARGETS gfx...] [FLAGS ...] [LIBRARIES ...] [ONE_WAVE_SIZE])
#     makes lib<name>.so in LUTHIER_TOOL_DIRECTORY and a target of that name.
#     TARGETS        processors whose kernels the tool can instrument (gfx90a)
#     FLAGS          further compiler flags (-O2)
#     ONE_WAVE_SIZE  do not also compile for the waves of 64 lanes of RDNA
# What it needs to know comes from variables, so that an installed package can
# set them to its own places:
set(LUTHIER_CLANGXX "/usr/lib/llvm-${LUTHIER_LLVM_MAJOR}/bin/clang++" CACHE FILEPATH
    "The clang++ that compiles tools; the one that the plugin was built for")

# The first folder of those that the patterns name in which \p file is: the
# distribution's layout, or AMD's below $ROCM_PATH or /opt/rocm.
function(luthier_find_rocm result file what)
  set(default "")
  foreach(pattern IN LISTS ARGN)
    # One at a time: file(GLOB) sorts what all of its patterns find.
    file(GLOB folders LIST_DIRECTORIES true "${pattern}")
    foreach(folder IN LISTS folders)
      if(NOT default AND EXISTS "${folder}/${file}")
        set(default "${folder}")
      endif()
    endforeach()
  endforeach()
  if(NOT ${result} AND NOT default)
    list(JOIN ARGN ", " places)
    message(FATAL_ERROR "${what} cannot be found: no ${file} in ${places}. Say where with -D${result}=FOLDER.")
  endif()
  set(${result} "${default}" CACHE PATH "${what}")
endfunction()

set(rocm_folders /opt/rocm /opt/rocm-*)
if(DEFINED ENV{ROCM_PATH})
  list(PREPEND rocm_folders "$ENV{ROCM_PATH}")
endif()
list(TRANSFORM rocm_folders APPEND "/amdgcn/bitcode" OUTPUT_VARIABLE bitcode_folders)
# AMD's comes first only where it is asked for: the rest of the build is the distribution's.
luthier_find_rocm(LUTHIER_ROCM_PATH include/hip/hip_runtime.h "HIP (hip/hip_runtime.h, below include)"
  $ENV{ROCM_PATH} /usr ${rocm_folders})
luthier_find_rocm(LUTHIER_DEVICE_LIBS ocml.bc "The device libraries (ocml.bc)"
  "${LUTHIER_ROCM_PATH}/amdgcn/bitcode" /usr/lib/x86_64-linux-gnu/amdgcn/bitcode
  /usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode ${bitcode_folders})
include("${CMAKE_CURRENT_LIST_DIR}/LuthierToolHeaders.cmake")
set(LUTHIER_TOOL_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/luthier/tools")
set(LUTHIER_TOOL_PLUGIN "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/luthier-plugin.so")
set(LUTHIER_TOOL_INCLUDES "${CMAKE_SOURCE_DIR}/include")
set(LUTHIER_TOOL_SYSTEM_INCLUDES "${LLVM_INCLUDE_DIRS}" "${LUTHIER_LLVM_TABLES}/include")
set(LUTHIER_TOOL_LIBRARIES luthier-tool-support luthier-runtime LLVM)

# The device libraries hold a constant for each processor. Those that the
# distribution is too old for get theirs in a folder that links all the rest.
function(luthier_device_libraries result targets)
  set(folder "${CMAKE_BINARY_DIR}/device-libs")
  file(MAKE_DIRECTORY "${folder}")
  file(GLOB files "${LUTHIER_DEVICE_LIBS}/*.bc")
  foreach(file IN LISTS files)
    get_filename_component(base "${file}" NAME)
    if(NOT EXISTS "${folder}/${base}")
      file(CREATE_LINK "${file}" "${folder}/${base}" SYMBOLIC)
    endif()
  endforeach()
  get_filename_component(llvm_bin "${LUTHIER_CLANGXX}" DIRECTORY)
  # Libraries of older ROCm read whether denormals are flushed from a file that
  # clang no longer links: never, as HIP has it.
  set(math "${folder}/ocml")
  if(IS_SYMLINK "${math}.bc" AND EXISTS "${folder}/oclc_daz_opt_off.bc")
    execute_process(COMMAND "${llvm_bin}/llvm-dis" "${math}.bc" -o "${math}.ll" COMMAND_ERROR_IS_FATAL ANY)
    file(READ "${math}.ll" text)
    string(REGEX REPLACE "@__oclc_daz_opt = [^\n]*"
      "@__oclc_daz_opt = internal local_unnamed_addr addrspace(4) constant i8 0, align 1" text "${text}")
    file(WRITE "${math}.ll" "${text}")
    file(REMOVE "${math}.bc")
    execute_process(COMMAND "${llvm_bin}/llvm-as" "${math}.ll" -o "${math}.bc" COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE "${math}.ll")
  endif()
  foreach(target IN LISTS targets)
    string(REGEX REPLACE "^gfx([0-9a-f]+).*$" "\\1" version "${target}")
    set(file "${folder}/oclc_isa_version_${version}")
    if(EXISTS "${file}.bc" OR NOT version MATCHES "^([0-9]+)([0-9a-f])([0-9a-f])$")
      continue()
    endif()
    math(EXPR number "${CMAKE_MATCH_1} * 1000 + 0x${CMAKE_MATCH_2} * 100 + 0x${CMAKE_MATCH_3}")
    # As clang has it, which warns of any other.
    execute_process(COMMAND "${LUTHIER_CLANGXX}" --target=amdgcn-amd-amdhsa -nogpulib -x c -S -emit-llvm -o - /dev/null
                    OUTPUT_VARIABLE layout COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "target datalayout = \"[^\"]*\"" layout "${layout}")
    file(WRITE "${file}.ll"
      "${layout}\ntarget triple = \"amdgcn-amd-amdhsa\"\n"
      "@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 ${number}, align 4\n")
    execute_process(COMMAND "${llvm_bin}/llvm-as" "${file}.ll" -o "${file}.bc" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

# Runs clang for what is made of \p others, too.
function(luthier_tool_launcher result others)
  set(environment ${ARGN})
  set(launcher ${LUTHIER_CACHED_COMPILE})
  if(launcher)
    # ccache knows clang's other inputs, but not what the plugin is and reads, nor
    # the device libraries.
    file(GLOB libraries "${LUTHIER_DEVICE_LIBS}/*.bc")
    list(JOIN others ":" files)
    list(JOIN libraries ":" more_files)
    string(APPEND files ":${more_files}")
    list(APPEND environment "CCACHE_EXTRAFILES=${files}")
  endif()
  if(environment)
    list(PREPEND launcher ${CMAKE_COMMAND} -E env ${environment})
  endif()
  set(${result} "${launcher}" PARENT_SCOPE)
endfunction()

# Flags for \p targets.
function(luthier_tool_flags result targets)
  luthier_device_libraries(device_libs "${targets}")
  set(flags -x hip -std=c++20 -fPIC -Wall -Wextra -Wno-unused-parameter
    "--rocm-path=${LUTHIER_ROCM_PATH}" "--rocm-device-lib-path=${device_libs}"
    # What HIP 5 and ROCr 5 can load.
    -mcode-object-version=4
    "-fpass-plugin=${LUTHIER_TOOL_PLUGIN}"
    # A fault in a hook is told by its line.
    -Xarch_device -gline-tables-only
    # Several tools in a process may use the same names.
    -fvisibility=hidden -fvisibility-inlines-hidden
    -include luthier/detail/WavefrontSize.h)
  foreach(target IN LISTS targets)
    list(APPEND flags "--offload-arch=${target}")
  endforeach()
  foreach(folder IN LISTS LUTHIER_TOOL_INCLUDES)
    list(APPEND flags -I "${folder}")
  endforeach()
  foreach(folder IN LISTS LUTHIER_TOOL_SYSTEM_INCLUDES)
    list(APPEND flags -isystem "${folder}")
  endforeach()
  # clang itself looks there behind the system's folders, which may have another HIP.
  if(NOT LUTHIER_ROCM_PATH STREQUAL "/usr")
    list(APPEND flags -isystem "${LUTHIER_ROCM_PATH}/include")
  endif()
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()

set(LUTHIER_OTHER_WAVES_FLAGS -mwavefrontsize64 -DLUTHIER_WAVES_OF_64)

# Commands that compile the hooks of \p source for waves of 64 lanes, which the
# plugin then puts into the tool, and the \p files of bitcode that they make.
# What follows comes before the compiler.
function(luthier_other_waves commands files source base id targets more_flags)
  set(all_commands)
  set(all_files)
  foreach(target IN LISTS targets)
    set(bitcode "${base}.${target}.wave64.bc")
    luthier_tool_flags(flags "${target}")
    luthier_tool_launcher(launcher "${LUTHIER_TOOL_PLUGIN}")
    list(APPEND all_commands
      COMMAND ${ARGN} ${launcher} "${LUTHIER_CLANGXX}" ${flags} ${more_flags} "-cuid=${id}"
              ${LUTHIER_OTHER_WAVES_FLAGS} --offload-device-only --no-gpu-bundle-output -emit-llvm
              -c "${source}" -o "${bitcode}")
    list(APPEND all_files "${bitcode}")
  endforeach()
  set(${commands} "${all_commands}" PARENT_SCOPE)
  set(${files} "${all_files}" PARENT_SCOPE)
endfunction()

set(LUTHIER_COMPILE_TOOL "${CMAKE_CURRENT_LIST_DIR}/compile-tool.sh")

function(luthier_add_tool name)
  cmake_parse_arguments(arg "ONE_WAVE_SIZE" "" "TARGETS;FLAGS;LIBRARIES" ${ARGN})
  if(NOT arg_TARGETS)
    set(arg_TARGETS gfx90a)
  endif()
  if(NOT arg_FLAGS)
    set(arg_FLAGS -O2)
  endif()
  luthier_tool_flags(flags "${arg_TARGETS}")
  set(targets_with_two "${arg_TARGETS}")
  list(FILTER targets_with_two INCLUDE REGEX "^gfx1")
  if(arg_ONE_WAVE_SIZE)
    set(targets_with_two)
  endif()
  set(absolute)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH source)
    list(APPEND absolute "${source}")
  endforeach()
  luthier_reads_machine_ir(machine_ir ${absolute})
  if(machine_ir)
    set(machine_ir MACHINE_IR ${machine_ir})
  endif()
  luthier_tool_headers(headers header_files ${machine_ir} FLAGS ${flags} ${arg_FLAGS} TARGETS ${arg_TARGETS}
                       OTHER_WAVES ${targets_with_two} WAVES_FLAGS ${LUTHIER_OTHER_WAVES_FLAGS})
  set(compile)
  if(headers)
    list(GET headers -1 folder)
    set(compile sh "${LUTHIER_COMPILE_TOOL}" "${folder}")
  endif()
  set(objects)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source STEM stem)
    set(base "${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${stem}")
    if("${base}.o" IN_LIST objects) # Of another folder.
      list(LENGTH objects number)
      string(APPEND base "-${number}")
    endif()
    set(object "${base}.o")
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${name}.dir")
    # Names of variables end in it. Clang would make it of the command line, which
    # is another one for each wave size and in each checkout.
    file(RELATIVE_PATH relative_source "${PROJECT_SOURCE_DIR}" "${source}")
    file(RELATIVE_PATH relative_object "${PROJECT_BINARY_DIR}" "${object}")
    string(SHA256 id "${PROJECT_NAME} ${relative_source} ${relative_object} ${arg_TARGETS} ${arg_FLAGS}")
    string(SUBSTRING "${id}" 0 16 id)
    luthier_other_waves(other_commands other_waves "${source}" "${base}" "${id}" "${targets_with_two}"
                        "${arg_FLAGS};${headers}" ${compile})
    set(environment)
    if(other_waves)
      set(environment "LUTHIER_WAVE64_HOOKS=${base}")
    endif()
    luthier_tool_launcher(launcher "${LUTHIER_TOOL_PLUGIN};${other_waves}" ${environment})
    string(REPLACE " " "\\ " rule "${object}")
    # All in one: clang lists what it reads only where it compiles for the host.
    add_custom_command(
      OUTPUT "${object}"
      BYPRODUCTS ${other_waves}
      ${other_commands}
      COMMAND ${compile} ${launcher} "${LUTHIER_CLANGXX}" ${flags} ${arg_FLAGS} ${headers} "-cuid=${id}"
              -MD -MF "${object}.d" -MT "${rule}" -c "${source}" -o "${object}"
      DEPENDS "${source}" "${LUTHIER_TOOL_PLUGIN}" ${header_files}
      DEPFILE "${object}.d"
      COMMENT "Building tool ${name}: ${stem}"
      VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  add_library(${name} SHARED ${objects})
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY "${LUTHIER_TOOL_DIRECTORY}"
    # lib/luthier/tools/ beside lib/libluthier.so, in the build and installed.
    INSTALL_RPATH "$ORIGIN/../.." BUILD_RPATH "$ORIGIN/../.." BUILD_RPATH_USE_ORIGIN ON
    POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PRIVATE ${LUTHIER_TOOL_LIBRARIES} ${arg_LIBRARIES})
  target_link_options(${name} PRIVATE LINKER:--no-undefined LINKER:-z,nodelete
    # Clang exports the handles of kernels whatever the visibility; another
    # tool's hook of the same name must not take their place.
    LINKER:-Bsymbolic)
endfunction()
