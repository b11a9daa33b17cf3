# SPDX-License-Identifier: Apache-2.0
# Unit tests of vectors and kernels. vec_operations.cpp is compiled per register width, as a kernel.
foreach(isa sse41 avx2 avx512)
  add_library(unit_vec_${isa} OBJECT vec_operations.cpp)
  target_include_directories(unit_vec_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(unit_vec_${isa} PRIVATE DNNL_ISA=${isa})
  target_compile_options(unit_vec_${isa} PRIVATE ${DNNL_KERNEL_FLAGS} ${DNNL_FLAGS_${isa}})
  target_link_libraries(unit_vec_${isa} PRIVATE dnnl_warnings)
endforeach()

foreach(name convert_codes epilogue far_tensors forced_blocking gemm_block gradient_blocks instruction_models movement
    row_levels shared_loops shared_work sparse_rows vec)
  dnnl_boost_program(${name})
  add_test(NAME unit.${name} COMMAND unit.${name} --log_level=message)
endforeach()
set_tests_properties(unit.gradient_blocks PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive")
target_compile_definitions(unit.shared_work PRIVATE SHAPES="${PROJECT_SOURCE_DIR}/bench/shapes")

# Counts what threads get: calls of these functions go to the test.
foreach(function _ZN4dnnl4impl11max_threadsEv _ZN4dnnl4impl14run_on_threadsEiPFvPviES1_
    _ZN4dnnl4impl6cachesEv _ZNK4dnnl4impl3cpu11gemm_driver3runERKNS1_9gemm_taskE)
  target_link_options(unit.shared_loops PRIVATE LINKER:--wrap=${function})
endforeach()
set_tests_properties(unit.shared_loops PROPERTIES ENVIRONMENT "ONEDNN_MAX_CPU_ISA=AVX2")
target_sources(unit.vec PRIVATE
  $<TARGET_OBJECTS:unit_vec_sse41> $<TARGET_OBJECTS:unit_vec_avx2> $<TARGET_OBJECTS:unit_vec_avx512>)

# The AMX kernels on a model of the tiles where the CPU has none; 77: it lacks even AVX-512.
foreach(name gemm_block_amx gemm_rows_amx tile_model)
  dnnl_boost_program(${name} ../models/instruction_emulator.cpp ../models/tile_model.cpp)
  target_include_directories(unit.${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  add_test(NAME unit.${name} COMMAND unit.${name} --log_level=message)
  set_tests_properties(unit.${name} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

# Models of vector instructions, by the calls that stand in front of them in the kernels over models.
foreach(name bf16_model vnni_model)
  dnnl_boost_program(${name} ../models/call_entry.cpp ../models/instruction_emulator.cpp
    ../models/tile_model.cpp)
  target_include_directories(unit.${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  # The headers were compiled without this flag.
  set_target_properties(unit.${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  target_compile_options(unit.${name} PRIVATE -mno-red-zone)
  add_test(NAME unit.${name} COMMAND unit.${name} --log_level=message)
  set_tests_properties(unit.${name} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
