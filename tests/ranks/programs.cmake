# Programs of ranks for the unit tests: compiled as their users would.
set(rank_programs ${CMAKE_CURRENT_BINARY_DIR}/rank_programs)
set(sources ${CMAKE_CURRENT_SOURCE_DIR}/ranks/programs)
set(compilers ${STRETTO_RANKS_PREFIX}/${CMAKE_INSTALL_BINDIR})
file(MAKE_DIRECTORY ${rank_programs})
set(rank_program_files)
# rank_program(OUTPUT COMPILER SOURCE [ARGUMENT...])
function(rank_program output compiler source)
  add_custom_command(OUTPUT ${rank_programs}/${output}
    COMMAND ${CMAKE_COMMAND} -E env STRETTO_CC=${CMAKE_C_COMPILER} STRETTO_CXX=${CMAKE_CXX_COMPILER}
    ${compilers}/${compiler} -O1 -g ${sources}/${source} -o ${rank_programs}/${output} ${ARGN}
    DEPENDS ${sources}/${source} stretto_compilers ${STRETTO_PROGRAM_OBJECT} ${rank_program_files} VERBATIM)
  list(APPEND rank_program_files ${rank_programs}/${output})
  set(rank_program_files ${rank_program_files} PARENT_SCOPE)
endfunction()
rank_program(privacy stretto-c++ privacy.cpp)
rank_program(stages stretto-c++ stages.cpp)
set(own_libraries -L${rank_programs} -Wl,-rpath,$ORIGIN)
rank_program(libcounted.so stretto-cc counted.c -shared -Wl,-soname,libcounted.so)
rank_program(libtwice.so stretto-cc twice.c -shared ${own_libraries} -lcounted)
rank_program(libraries stretto-cc libraries.c ${own_libraries} -ltwice -lcounted)
add_custom_target(rank_programs DEPENDS ${rank_program_files})
add_dependencies(unit rank_programs)
target_compile_definitions(unit PRIVATE STRETTO_RANK_PROGRAMS="${rank_programs}")
if(TARGET fake_cuda)
  set(driver_for_tests ${CMAKE_CURRENT_BINARY_DIR}/fake_driver)
endif()
if(NOT STRETTO_SANITIZE)
  add_test(NAME rank_compilers COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/ranks/compiler_test.py
           ${compilers} ${CMAKE_CURRENT_SOURCE_DIR}/ranks ${CMAKE_CURRENT_BINARY_DIR}/rank_compilers)
  add_test(NAME ranks.symbols COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/ranks/mpi_symbols_test.py
           $<TARGET_FILE:stretto_ranks> ${PROJECT_SOURCE_DIR}/include/stretto_mpi)
  add_test(NAME ranks.mpi COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/ranks/mpi_test.py
           ${compilers} ${CMAKE_CURRENT_SOURCE_DIR}/ranks ${CMAKE_CURRENT_BINARY_DIR}/rank_mpi)
  add_test(NAME ranks.devices COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/ranks/rank_devices_test.py
           ${compilers} ${CMAKE_CURRENT_SOURCE_DIR}/ranks ${CMAKE_CURRENT_BINARY_DIR}/rank_devices ${driver_for_tests})
  add_test(NAME ranks.random_regions COMMAND Python3::Interpreter -B
           ${CMAKE_CURRENT_SOURCE_DIR}/ranks/random_regions_test.py ${compilers} ${CMAKE_CURRENT_SOURCE_DIR}/ranks
           ${CMAKE_CURRENT_BINARY_DIR}/rank_regions)
  add_test(NAME ranks.node_ends COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/ranks/node_ends_test.py
           ${compilers} ${CMAKE_CURRENT_SOURCE_DIR}/ranks ${CMAKE_CURRENT_BINARY_DIR}/rank_node_ends)
  if(STRETTO_TOOLS)
    add_test(NAME ranks.late COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/ranks/late_ranks_test.py
             ${compilers} ${CMAKE_CURRENT_SOURCE_DIR}/ranks ${CMAKE_CURRENT_BINARY_DIR}/rank_late)
  endif()
  add_test(NAME ranks.wrong COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/ranks/wrong_programs_test.py
           ${compilers} ${CMAKE_CURRENT_SOURCE_DIR}/ranks ${CMAKE_CURRENT_BINARY_DIR}/rank_wrong)
endif()
