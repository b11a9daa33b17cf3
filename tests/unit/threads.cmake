# SPDX-License-Identifier: Apache-2.0
# Unit tests of parallel regions. OpenMP starts as many threads as it is told to, on any machine.
dnnl_boost_program(parallel)
add_test(NAME unit.parallel COMMAND unit.parallel)
set_tests_properties(unit.parallel PROPERTIES ENVIRONMENT "OMP_NUM_THREADS=4")

# The thread sanitizer must see a race between two threads of one region.
if(DNNL_SANITIZE MATCHES "thread" AND DNNL_CPU_RUNTIME MATCHES "^(OMP|TBB)$")
  add_executable(unit.planted_race planted_race.cpp)
  target_link_libraries(unit.planted_race PRIVATE dnnl_internal)
  add_test(NAME unit.planted_race COMMAND unit.planted_race)
  set_tests_properties(unit.planted_race PROPERTIES
    ENVIRONMENT "OMP_NUM_THREADS=4" PASS_REGULAR_EXPRESSION "ThreadSanitizer: data race")
endif()
