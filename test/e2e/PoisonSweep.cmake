# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every program under ten seeds of poison on every target, and under the first in
# lockstep: `ninja poison-programs && ctest -L poison-sweep`. What the tests find
# goes into poison-results.jsonl, of which test/e2e/poison_table.py makes
# docs/poison.md.
set(poison_results "${CMAKE_BINARY_DIR}/poison-results.jsonl")

# add_poison_test(target group seeds "program arguments"...)
function(add_poison_test target group seeds)
  if(target IN_LIST late_targets)
    set(way ${on_emulator})
  else()
    set(way ${luthier} ${poison})
  endif()
  string(REPLACE " " "-" name "${group}")
  add_sweep_test(${name}-poisoned-on-${target} run_poisoned.py 1800 ${way} --device ${target} --group "${group}"
                 --seeds ${seeds} --stack --results "${poison_results}" -- ${ARGN})
  set_tests_properties(sweep/${name}-poisoned-on-${target} PROPERTIES LABELS "sweep;poison-sweep")
endfunction()

# For targets that the runtime knows besides gfx90a, programs of their own.
set(other_dir "${examples_dir}/others")
foreach(program IN LISTS programs_at_levels)
  list(APPEND usual_examples "${examples_dir}/${program}")
  list(APPEND other_examples "${other_dir}/${program}-others-poisoned")
  luthier_add_hip_program(${program}-others-poisoned "${CMAKE_SOURCE_DIR}/examples/programs/${program}.hip" ON_DEMAND
                          OUTPUT_DIRECTORY "${other_dir}" TARGETS ${devices} FLAGS -O3)
  list(APPEND needed_by_sweep ${program}-others-poisoned)
  foreach(level IN LISTS levels)
    list(APPEND usual_examples "${examples_dir}/${program}-${level}")
    list(APPEND other_examples "${other_dir}/${program}-${level}-others-poisoned")
    luthier_add_hip_program(${program}-${level}-others-poisoned "${CMAKE_SOURCE_DIR}/examples/programs/${program}.hip"
                            ON_DEMAND OUTPUT_DIRECTORY "${other_dir}" TARGETS ${devices} FLAGS -${level})
    list(APPEND needed_by_sweep ${program}-${level}-others-poisoned)
  endforeach()
endforeach()

set(primitives)
foreach(name IN LISTS rocprim_programs)
  string(REGEX REPLACE "^rocprim-" "" name "${name}")
  list(APPEND primitives ${name})
endforeach()
set(rocprim_dir "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/rocprim")
foreach(primitive IN LISTS primitives)
  string(REGEX MATCH "^(.*)-(O.)$" match "${primitive}")
  set(source "${CMAKE_MATCH_1}")
  set(level "${CMAKE_MATCH_2}")
  string(SUBSTRING "${source}" 0 1 first)
  string(TOUPPER "${first}" first)
  string(SUBSTRING "${source}" 1 -1 rest)
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/rocprim/${first}${rest}.hip")
  luthier_add_hip_program(rocprim-${primitive}-others "${source}" ON_DEMAND OUTPUT_DIRECTORY "${rocprim_dir}"
                          TARGETS ${devices} FLAGS -std=c++17 -${level} -I "${CMAKE_SOURCE_DIR}/examples/programs")
  list(APPEND needed_by_sweep rocprim-${primitive}-others)
  if(TARGET hip-on-emulator)
    luthier_add_late_hip_program(rocprim-${primitive}-late "${source}" OUTPUT_DIRECTORY "${rocprim_dir}"
                                 TARGETS ${late_targets} FLAGS -${level})
    list(APPEND needed_by_sweep rocprim-${primitive}-late)
  endif()
endforeach()

# The library's bundle has no code for the late targets.
set(generators_program "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/rocrand/rocrand-generators")
set(rocrand philox mrg32k3a mtgp32 sobol32 sobol64)
list(TRANSFORM rocrand PREPEND "${generators_program} ")

add_custom_target(poison-programs DEPENDS ${needed_by_sweep})
set(all_targets gfx90a ${devices})
if(TARGET hip-on-emulator)
  list(APPEND all_targets ${late_targets})
endif()
foreach(target IN LISTS all_targets)
  set(suffix "-others")
  set(examples_here ${other_examples})
  if(target STREQUAL "gfx90a")
    set(suffix "")
    set(examples_here ${usual_examples})
  elseif(target IN_LIST late_targets)
    set(suffix "-late")
    set(examples_here ${late_examples})
  endif()
  add_poison_test(${target} "examples" 10 ${examples_here})
  if(primitives)
    foreach(level O3 O0)
      set(programs_here ${primitives})
      list(FILTER programs_here INCLUDE REGEX "-${level}$")
      list(TRANSFORM programs_here PREPEND "${rocprim_dir}/rocprim-")
      list(TRANSFORM programs_here APPEND "${suffix} tiny")
      # 200 million wave instructions otherwise.
      list(TRANSFORM programs_here REPLACE "(sort-O0.*) tiny" "\\1 two-blocks")
      add_poison_test(${target} "rocPRIM ${level}" 10 ${programs_here})
    endforeach()
  endif()
  if(TARGET rocrand-generators AND NOT target IN_LIST late_targets)
    add_poison_test(${target} "rocRAND" 10 ${rocrand})
    # Preparing its states is a hundred times the work of all others together.
    add_poison_test(${target} "rocRAND XORWOW" 1 "${generators_program} xorwow")
  endif()
endforeach()
