# Programs of several processes, run over each MPI that there is by a script, and in the long tests once more with
# AddressSanitizer.
#
# MPI itself is not sanitized, and the small library between it and Stretto is the plain tree's: what they keep to
# themselves is left to them (modules/mpi/test/leaks_of_mpi.supp), and MPI may not hook malloc.
option(STRETTO_SANITIZED_JOBS "also run the tests on processes whose programs build/asan holds" OFF)
set(leaks ${PROJECT_SOURCE_DIR}/modules/mpi/test/leaks_of_mpi.supp)

# mpi_program(NAME SOURCES...): sanitized trees build it only when asked for.
function(mpi_program name)
  if(STRETTO_SANITIZE)
    add_executable(${name} EXCLUDE_FROM_ALL ${ARGN})
  elseif(STRETTO_MPI_NAMES)
    add_executable(${name} ${ARGN})
    add_dependencies(${name} stretto_mpi_libraries)
  else()
    return()
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE stretto stretto_flags)
endfunction()

# mpi_tests(TEST PROGRAM SCRIPT MORE...): SCRIPT is given the MPI, its launcher, the program, the folder of MPI
# libraries, and MORE.
function(mpi_tests test program script)
  if(STRETTO_SANITIZE)
    return()
  endif()
  foreach(name ${STRETTO_MPI_NAMES})
    set(command Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${name} ${STRETTO_MPI_LAUNCHER_${name}})
    add_test(NAME ${test}.${name} COMMAND ${command} $<TARGET_FILE:${program}> ${STRETTO_MPI_FOLDER} ${ARGN})
    if(STRETTO_SANITIZED_JOBS)
      cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
      cmake_path(GET PROJECT_BINARY_DIR PARENT_PATH build_root)
      add_test(NAME asan.${test}.${name} COMMAND ${command} ${build_root}/asan/tests/${folder}/${program}
               ${STRETTO_MPI_FOLDER} ${ARGN})
      set(watched ASAN_OPTIONS=fast_unwind_on_malloc=0)
      # it leaves much to the end of the process; what the program leaves is seen with the other
      if(name STREQUAL mpich)
        set(watched ASAN_OPTIONS=detect_leaks=0)
      endif()
      set_tests_properties(asan.${test}.${name} PROPERTIES ENVIRONMENT
        "OMPI_MCA_memory=^patcher;UCX_MEM_EVENTS=n;UBSAN_OPTIONS=print_stacktrace=1;${watched};LSAN_OPTIONS=print_suppressions=0:suppressions=${leaks}")
    endif()
  endforeach()
endfunction()
