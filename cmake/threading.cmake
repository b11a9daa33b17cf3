# SPDX-License-Identifier: Apache-2.0
# The threading runtime. DNNL_CPU_RUNTIME chooses which one common/runtime/parallel.cpp is compiled for.
if(DNNL_CPU_RUNTIME STREQUAL "OMP")
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  target_link_libraries(dnnl PRIVATE OpenMP::OpenMP_CXX)
elseif(DNNL_CPU_RUNTIME STREQUAL "TBB")
  find_package(TBB REQUIRED)
  target_link_libraries(dnnl PRIVATE TBB::tbb)
endif()
find_package(Threads REQUIRED)
target_link_libraries(dnnl PRIVATE Threads::Threads)
