# A library for each MPI that can be compiled with here, by that MPI's own compiler wrapper: libraries of one job differ in their
# handles, and which one a program meets is known when it runs. STRETTO_MPI_NAMES lists them, STRETTO_MPI_FOLDER holds them.
set(STRETTO_MPI_FOLDER ${PROJECT_BINARY_DIR}/mpi)
set(STRETTO_MPI_NAMES)
set(library ${PROJECT_SOURCE_DIR}/src/net/mpi/library/library.cpp)
set(files)
if(EXISTS ${library} AND NOT STRETTO_SANITIZE)
  foreach(name openmpi mpich)
    find_program(STRETTO_MPI_COMPILER_${name} NAMES mpicxx.${name})
    find_program(STRETTO_MPI_LAUNCHER_${name} NAMES mpirun.${name})
    if(NOT STRETTO_MPI_COMPILER_${name})
      continue()
    endif()
    set(file ${STRETTO_MPI_FOLDER}/stretto_mpi_${name}.so)
    add_custom_command(OUTPUT ${file}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${STRETTO_MPI_FOLDER}
      COMMAND ${CMAKE_COMMAND} -E env OMPI_CXX=${CMAKE_CXX_COMPILER} MPICH_CXX=${CMAKE_CXX_COMPILER} ${STRETTO_MPI_COMPILER_${name}}
        -std=c++20 -O2 -g1 -fPIC -shared -Wall -Wextra -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX
        -I ${PROJECT_SOURCE_DIR}/src ${library} -o ${file}
      DEPENDS ${library} ${PROJECT_SOURCE_DIR}/src/net/mpi/mpi_calls.hpp VERBATIM)
    list(APPEND files ${file})
    if(STRETTO_MPI_LAUNCHER_${name})
      list(APPEND STRETTO_MPI_NAMES ${name})
    endif()
  endforeach()
endif()
add_custom_target(mpi_libraries DEPENDS ${files})
