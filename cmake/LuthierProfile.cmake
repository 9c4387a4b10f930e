# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds HIP programs with profiles of their kernels (docs/pgo.md).
#   luthier_add_profiled_program(name sources... [RUNS "ARGUMENTS"...] [JUDGE_RUNS "ARGUMENTS"...] [ROUTE route]
#                                [WEIGHTS waves|lanes] [CALLS] [COUNT_BY emulator|hooks] [DEVICE_LIBRARIES folder]
#                                [TARGETS gfx...] [FLAGS ...] [LIBRARIES ...])
#     makes a program in CMAKE_RUNTIME_OUTPUT_DIRECTORY (bin) and a target of that
#     name, as `luthier pgo optimize --lenient` does: without a profile, and saying
#     so, where none can be made or the program does not repeat itself.
#     RUNS        arguments of each run that collects the profile, as a shell
#                 reads them (one run without arguments)
#     JUDGE_RUNS  of each run that judges (those that collect)
#     ROUTE       how the profile is collected (counters)
#     WEIGHTS, CALLS, COUNT_BY  of routes probes and lines, as in luthier pgo collect
#     DEVICE_LIBRARIES  as in luthier pgo apply
#     TARGETS     processors (gfx90a); the profile is of the first
#     FLAGS       further compiler flags (-O3)
#     LIBRARIES   further arguments for the linker
# -DLUTHIER_USE_PROFILES=OFF compiles without profiles, which takes less time.
# As with luthier_add_tool(), an installed package sets variables to its own places.
set(LUTHIER_COMMAND luthier)
set(LUTHIER_COMMAND_NEEDS luthier luthier-gpu luthier-runtime sample-libraries)
option(LUTHIER_USE_PROFILES "Build programs of luthier_add_profiled_program() with profiles" ON)

# What this clang needs to compile HIP programs with the ROCm that was found, be
# it told that they are such by -x hip or by the names of files.
function(luthier_hip_flags result targets)
  luthier_device_libraries(device_libs "${targets}")
  set(flags "--rocm-path=${LUTHIER_ROCM_PATH}" "--rocm-device-lib-path=${device_libs}" -mcode-object-version=4)
  foreach(folder IN LISTS LUTHIER_TOOL_INCLUDES)
    list(APPEND flags -I "${folder}")
  endforeach()
  set(${result} ${flags} -include luthier/detail/WavefrontSize.h PARENT_SCOPE)
endfunction()

function(luthier_add_profiled_program name)
  cmake_parse_arguments(arg "CALLS" "ROUTE;WEIGHTS;COUNT_BY;DEVICE_LIBRARIES" "RUNS;JUDGE_RUNS;TARGETS;FLAGS;LIBRARIES" ${ARGN})
  foreach(default ROUTE:counters TARGETS:gfx90a FLAGS:-O3)
    string(REPLACE ":" ";" default "${default}")
    list(GET default 0 option)
    if(NOT arg_${option})
      list(GET default 1 arg_${option})
    endif()
  endforeach()
  set(sources)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH source)
    list(APPEND sources "${source}")
  endforeach()
  # Not where ninja has the target of that name.
  set(program "${CMAKE_CURRENT_BINARY_DIR}/bin/${name}")
  if(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
    set(program "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name}")
  endif()
  cmake_path(GET program PARENT_PATH folder)
  luthier_hip_flags(flags "${arg_TARGETS}")
  foreach(target IN LISTS arg_TARGETS)
    list(APPEND flags "--offload-arch=${target}")
  endforeach()
  set(clang "${LUTHIER_CLANGXX}" ${flags} ${arg_FLAGS} -x hip)
  # The command that compiles all would tell the headers of the last source only.
  set(dependencies)
  set(depfiles)
  foreach(source IN LISTS sources)
    list(LENGTH depfiles index)
    set(depfile "${program}.${index}.d")
    list(APPEND dependencies COMMAND ${clang} --offload-host-only -M -MF "${depfile}" -MT "${program}" "${source}")
    list(APPEND depfiles "${depfile}")
  endforeach()
  if(arg_LIBRARIES)
    # They may be files, which are no source.
    list(PREPEND arg_LIBRARIES -x none)
  endif()
  set(compile ${clang} ${sources} -o "${program}" "-L${LUTHIER_ROCM_PATH}/lib" ${arg_LIBRARIES} -lamdhip64)
  if(NOT LUTHIER_USE_PROFILES)
    set(command ${compile})
  else()
    list(GET arg_TARGETS 0 device)
    # As a shell reads it.
    string(REGEX REPLACE "([^A-Za-z0-9_./+-])" "\\\\\\1" word "${program}")
    set(judged)
    foreach(run IN LISTS arg_JUDGE_RUNS)
      list(APPEND judged --judge "${word} ${run}")
    endforeach()
    set(runs -- "${program}")
    if(arg_RUNS)
      set(runs)
    endif()
    foreach(run IN LISTS arg_RUNS)
      separate_arguments(words UNIX_COMMAND "${run}")
      list(APPEND runs -- "${program}" ${words})
    endforeach()
    set(options)
    if(arg_CALLS)
      list(APPEND options --calls)
    endif()
    foreach(option WEIGHTS:--weights COUNT_BY:--count-by DEVICE_LIBRARIES:--device-libraries)
      string(REPLACE ":" ";" option "${option}")
      list(POP_FRONT option value)
      if(arg_${value})
        list(APPEND options ${option} "${arg_${value}}")
      endif()
    endforeach()
    set(command "${LUTHIER_COMMAND}" pgo optimize --lenient --route "${arg_ROUTE}" ${options} --device "${device}" ${judged}
        -- ${compile} ${runs})
  endif()
  add_custom_command(
    OUTPUT "${program}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${folder}"
    ${dependencies}
    COMMAND ${CMAKE_COMMAND} -E cat ${depfiles} > "${program}.d"
    COMMAND ${command}
    DEPENDS ${sources} ${LUTHIER_COMMAND_NEEDS}
    DEPFILE "${program}.d"
    COMMENT "Building ${name}"
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${program}")
endfunction()
