# SPDX-License-Identifier: Apache-2.0
# Installs the build into a prefix of its own and builds and runs the consumer against it.
# Variables: BUILD (of the library), SOURCE (this folder), WORK (scratch folder).
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix -DTESTS=${SOURCE}/..)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/tutorial)
run(${WORK}/build/every_function)
file(REMOVE_RECURSE ${WORK})
