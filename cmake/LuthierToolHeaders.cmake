# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What every tool includes, HIP's headers and luthier/luthier.h, takes most of
# the time that a tool with few hooks takes to compile. It is precompiled, once
# for the host, each target and each size of waves, for all tools of a project
# that are compiled with the same flags. Tools that include luthier/MachineIR.h
# have headers of their own with that one, which takes several times as long.
#
# Files still include what they use: a build with LUTHIER_PRECOMPILED_HEADERS=OFF
# shows what is missing.
option(LUTHIER_PRECOMPILED_HEADERS "Read headers that many files include once" ON)

# A rule that precompiles the headers into \p folder for what \p name stands
# for, and a target for it, by which tools of other folders wait for it.
function(luthier_precompile_tool_headers folder name)
  set(file "${folder}/${name}.pch")
  cmake_path(GET folder STEM key)
  set(target "luthier-headers-${key}-${name}")
  if(TARGET ${target})
    return()
  endif()
  string(REPLACE " " "\\ " rule "${file}")
  add_custom_command(
    OUTPUT "${file}"
    # The driver lists what it reads only where it compiles for the host.
    COMMAND "${LUTHIER_CLANGXX}" ${ARGN} -Xclang -emit-pch
            -Xclang -dependency-file -Xclang "${file}.d" -Xclang -MT -Xclang "${rule}" -Xclang -sys-header-deps
            -c "${folder}.h" -o "${file}"
    DEPENDS "${folder}.h"
    DEPFILE "${file}.d"
    COMMENT "Precompiling what tools include, for ${name}"
    VERBATIM)
  add_custom_target(${target} DEPENDS "${file}")
endfunction()

# Sets \p result to who reads luthier/MachineIR.h of the sources, and of the
# headers beside them that they include: ALL; HOST, if it is included where
# __HIP_DEVICE_COMPILE__ is not defined alone; or nobody. Asked when the project
# is configured: who includes it later only compiles slowly until then.
function(luthier_reads_machine_ir result)
  set(found)
  set(all ${ARGN})
  set(host)
  set(seen)
  while(all OR host)
    if(all)
      list(POP_FRONT all file)
      set(reader ALL)
    else()
      list(POP_FRONT host file)
      set(reader HOST)
    endif()
    if("${reader}:${file}" IN_LIST seen OR "ALL:${file}" IN_LIST seen OR NOT EXISTS "${file}")
      continue()
    endif()
    list(APPEND seen "${reader}:${file}")
    cmake_path(GET file PARENT_PATH folder)
    file(STRINGS "${file}" lines REGEX "^[ \t]*#[ \t]*(if|el|endif|include[ \t]*\")")
    # One letter for each condition: h where only the host reads on.
    set(conditions "")
    foreach(line IN LISTS lines)
      if(line MATCHES "# *ifndef +__HIP_DEVICE_COMPILE__" OR line MATCHES "# *if +!defined\\(__HIP_DEVICE_COMPILE__\\)")
        string(PREPEND conditions h)
      elseif(line MATCHES "# *if")
        string(PREPEND conditions x)
      elseif(line MATCHES "# *el")
        string(REGEX REPLACE "^." x conditions "${conditions}")
      elseif(line MATCHES "# *endif")
        string(REGEX REPLACE "^." "" conditions "${conditions}")
      elseif(line MATCHES "\"([^\"]*)\"")
        set(name "${CMAKE_MATCH_1}")
        set(reads ${reader})
        if(conditions MATCHES h)
          set(reads HOST)
        endif()
        if(name STREQUAL "luthier/MachineIR.h")
          list(APPEND found ${reads})
        elseif(reads STREQUAL ALL)
          list(APPEND all "${folder}/${name}")
        else()
          list(APPEND host "${folder}/${name}")
        endif()
      endif()
    endforeach()
  endwhile()
  if(found)
    list(SORT found) # ALL comes first.
    list(GET found 0 found)
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Sets \p flags_result to the flags by which clang uses the precompiled headers,
# and \p needs_result to what has to be made before. Clang takes the one of the
# folder that is made for what it compiles for.
#   MACHINE_IR    ALL or HOST: who reads luthier/MachineIR.h, too
#   FLAGS         of the tool
#   TARGETS       processors
#   OTHER_WAVES   those of them that are compiled for waves of 64 lanes, too
#   WAVES_FLAGS   how
function(luthier_tool_headers flags_result needs_result)
  cmake_parse_arguments(arg "" "MACHINE_IR" "FLAGS;TARGETS;OTHER_WAVES;WAVES_FLAGS" ${ARGN})
  # Those that the tool's author names in FLAGS have no headers here.
  set(others "${arg_FLAGS}")
  list(FILTER others INCLUDE REGEX "^--offload-arch=")
  list(TRANSFORM others REPLACE "^--offload-arch=" "")
  list(REMOVE_ITEM others ${arg_TARGETS})
  if(NOT LUTHIER_PRECOMPILED_HEADERS OR others)
    set(${flags_result} "" PARENT_SCOPE)
    set(${needs_result} "" PARENT_SCOPE)
    return()
  endif()
  set(flags "${arg_FLAGS}")
  list(FILTER flags EXCLUDE REGEX "^(--offload-arch|-fpass-plugin)=")
  set(headers "#include \"luthier/luthier.h\"\n")
  set(machine_ir "#include \"luthier/MachineIR.h\"\n")
  if(arg_MACHINE_IR STREQUAL ALL)
    string(APPEND headers "${machine_ir}")
  elseif(arg_MACHINE_IR STREQUAL HOST)
    string(APPEND headers "#ifndef __HIP_DEVICE_COMPILE__\n${machine_ir}#endif\n")
  endif()
  string(SHA256 key "${LUTHIER_CLANGXX} ${flags} ${headers}")
  string(SUBSTRING "${key}" 0 12 key)
  set(folder "${CMAKE_BINARY_DIR}/luthier-headers/${key}.pch")
  file(MAKE_DIRECTORY "${folder}")
  # ccache has the headers read as they are, and before what the driver includes
  # before everything else.
  if(LUTHIER_CACHED_COMPILE)
    string(PREPEND headers "#include <__clang_hip_runtime_wrapper.h>\n")
  endif()
  file(CONFIGURE OUTPUT "${folder}.h" CONTENT "${headers}")

  set(device --offload-device-only --no-gpu-bundle-output -emit-llvm)
  list(GET arg_TARGETS 0 first)
  luthier_precompile_tool_headers("${folder}" host ${flags} --offload-arch=${first} --offload-host-only)
  set(names host)
  foreach(target IN LISTS arg_TARGETS)
    # Settings, as in gfx90a:xnack-, are no part of a target's name in CMake.
    string(REPLACE "+" "on" name "${target}")
    string(REPLACE ":" "-" name "${name}")
    luthier_precompile_tool_headers("${folder}" ${name} ${flags} --offload-arch=${target} ${device})
    list(APPEND names ${name})
    if(target IN_LIST arg_OTHER_WAVES)
      luthier_precompile_tool_headers("${folder}" ${name}-wave64
        ${flags} --offload-arch=${target} ${arg_WAVES_FLAGS} ${device})
      list(APPEND names ${name}-wave64)
    endif()
  endforeach()
  set(needs)
  foreach(name IN LISTS names)
    list(APPEND needs "luthier-headers-${key}-${name}" "${folder}/${name}.pch")
  endforeach()
  set(${flags_result} -include-pch "${folder}" PARENT_SCOPE)
  set(${needs_result} "${needs}" PARENT_SCOPE)
endfunction()
