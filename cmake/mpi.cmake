# A library for each MPI that can be compiled with here, by that MPI's own compiler wrapper: libraries of one job differ
# in their handles, and which one a program meets is known when it runs. STRETTO_MPI_NAMES lists those that can be
# started here too, STRETTO_MPI_FOLDER holds the libraries, STRETTO_MPI_FILES are they. To leave one out:
# -DSTRETTO_MPI_COMPILER_mpich=OFF.
include(GNUInstallDirs)
set(STRETTO_MPI_FOLDER ${PROJECT_BINARY_DIR}/mpi)
set(STRETTO_MPI_NAMES)
set(STRETTO_MPI_FILES)
set(library ${PROJECT_SOURCE_DIR}/src/net/mpi/library/library.cpp)
# The names are Debian's; elsewhere mpicxx is the only one, and says whose it is.
find_program(STRETTO_MPI_COMPILER NAMES mpicxx mpic++)
set(plain_name)
if(STRETTO_MPI_COMPILER)
  execute_process(COMMAND ${STRETTO_MPI_COMPILER} --showme:version RESULT_VARIABLE is_other
                  OUTPUT_VARIABLE said ERROR_QUIET)
  if(is_other EQUAL 0 AND said MATCHES "Open MPI")
    set(plain_name openmpi)
  else()
    execute_process(COMMAND ${STRETTO_MPI_COMPILER} -compile_info RESULT_VARIABLE is_other OUTPUT_QUIET ERROR_QUIET)
    if(is_other EQUAL 0)
      set(plain_name mpich)
    endif()
  endif()
endif()
if(NOT STRETTO_SANITIZE)
  foreach(name openmpi mpich)
    set(compilers mpicxx.${name})
    set(launchers mpirun.${name})
    if(name STREQUAL plain_name)
      list(APPEND compilers mpicxx mpic++)
      list(APPEND launchers mpirun mpiexec)
    endif()
    find_program(STRETTO_MPI_COMPILER_${name} NAMES ${compilers} NAMES_PER_DIR)
    find_program(STRETTO_MPI_LAUNCHER_${name} NAMES ${launchers} NAMES_PER_DIR)
    if(NOT STRETTO_MPI_COMPILER_${name})
      continue()
    endif()
    set(file ${STRETTO_MPI_FOLDER}/stretto_mpi_${name}.so)
    add_custom_command(OUTPUT ${file}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${STRETTO_MPI_FOLDER}
      COMMAND ${CMAKE_COMMAND} -E env OMPI_CXX=${CMAKE_CXX_COMPILER} MPICH_CXX=${CMAKE_CXX_COMPILER}
      ${STRETTO_MPI_COMPILER_${name}}
        -std=c++20 -O2 -g1 -fPIC -shared -Wall -Wextra -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX
        -I ${PROJECT_SOURCE_DIR}/src ${library} -o ${file}
      DEPENDS ${library} ${PROJECT_SOURCE_DIR}/src/net/mpi/mpi_calls.hpp VERBATIM)
    list(APPEND STRETTO_MPI_FILES ${file})
    if(STRETTO_MPI_LAUNCHER_${name})
      list(APPEND STRETTO_MPI_NAMES ${name})
    endif()
  endforeach()
endif()
add_custom_target(stretto_mpi_libraries ALL DEPENDS ${STRETTO_MPI_FILES})
# Where they are looked for at run time (src/base/installed_folders.hpp).
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/base/installed_folders.cpp APPEND PROPERTY COMPILE_DEFINITIONS
  STRETTO_BUILD_FOLDER="${STRETTO_MPI_FOLDER}" STRETTO_LIBRARY_FOLDER="${CMAKE_INSTALL_LIBDIR}")
