# Programs with directives of OpenACC, the same loops with those of OpenMP, and kernels and messages of OpenCL by hand.
set(acc_folder ${CMAKE_CURRENT_SOURCE_DIR}/peers/acc)
set(acc_headers ${acc_folder}/c_program.h ${acc_folder}/pair_generator.h ${acc_folder}/opencl_device.h
  ${acc_folder}/message_benchmarks.h)
find_program(gcc_compiler NAMES gcc cc)
find_library(OPENCL_DRIVERS NAMES OpenCL libOpenCL.so.1)
set(acc_reason "stretto cc is not part of this build")
set(no_opencl_reason "OpenCL was not found (apt install ocl-icd-libopencl1 opencl-c-headers)")

set(by_hand_compiler "")
set(messages_compiler "")
if(OPENCL_HEADERS AND OPENCL_DRIVERS)
  set(by_hand_compiler ${gcc_compiler})
  set(messages_compiler ${openmpi_compiler})
endif()
set(kernels ${acc_folder}/kernels.c OPTIONS -O3 -lm)
bench_c_program(stretto_acc "${ranks_compiler}" "${acc_reason}" ${kernels} DEPENDS stretto_compilers ${acc_headers})
bench_c_program(stretto_acc_ranks "${ranks_compiler}" "${acc_reason}" ${acc_folder}/messages.c OPTIONS -O3 -lm
  DEPENDS stretto_compilers ${acc_headers})
bench_c_program(gcc_openmp "${gcc_compiler}" "gcc was not found" ${kernels} -fopenmp DEPENDS ${acc_headers})
bench_c_program(opencl_kernels "${by_hand_compiler}" "${no_opencl_reason}" ${acc_folder}/opencl_kernels.c
  OPTIONS -O3 ${OPENCL_DRIVERS} -lm DEPENDS ${acc_headers})
bench_c_program(opencl_messages "${messages_compiler}" "${no_opencl_reason}" ${acc_folder}/opencl_messages.c
  OPTIONS -O3 ${OPENCL_DRIVERS} -lm DEPENDS ${acc_headers})

# The programs of examples/acc, and a script that runs them as one benchmark program.
function(bench_acc_programs system compiler launcher reason)
  if(NOT compiler)
    record_peer(${system} "" "${reason}")
    set(peers "${peers}" PARENT_SCOPE)
    return()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${system})
  file(MAKE_DIRECTORY ${folder})
  set(made "")
  foreach(name dgemm ep himeno jacobi_forms)
    set(source ${PROJECT_SOURCE_DIR}/examples/acc/${name}.c)
    add_custom_command(OUTPUT ${folder}/${name} COMMAND ${compiler} -O3 ${source} -o ${folder}/${name} -lm
      DEPENDS ${source} ${ARGN} VERBATIM)
    list(APPEND made ${folder}/${name})
  endforeach()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/bench_${system})
  file(GENERATE OUTPUT ${script} CONTENT
    "#!/bin/sh\nexec python3 -B ${acc_folder}/programs.py ${folder} ${compiler} ${launcher} \"$@\"\n"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  add_custom_target(${system}_peer ALL DEPENDS ${made})
  record_peer(${system} ${script} "")
  set(programs "${programs};${system}_peer" PARENT_SCOPE)
  set(peers "${peers}" PARENT_SCOPE)
endfunction()
bench_acc_programs(stretto_programs "${ranks_compiler}" stretto "${acc_reason}" stretto_compilers)
bench_acc_programs(openmpi_programs "${openmpi_compiler}" mpirun
  "mpicc was not found (apt install libopenmpi-dev openmpi-bin)")
