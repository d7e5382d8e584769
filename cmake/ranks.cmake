# Programs whose ranks are threads of one process: what `stretto cc` links to them, what the kernel starts in their
# place, and the library that loads them. The files lie in the build tree as in an installed one, below
# STRETTO_RANKS_PREFIX, where each finds the others.
enable_language(C)
include(GNUInstallDirs)
set(STRETTO_RANKS_PREFIX ${PROJECT_BINARY_DIR}/ranks)
set(ranks_folder ${STRETTO_RANKS_PREFIX}/${CMAKE_INSTALL_LIBDIR}/stretto)
set(ranks_sources ${PROJECT_SOURCE_DIR}/src/ranks/program)

# Replacements of functions of the C library, in one object file. Neither sanitizers nor checked functions of the C
# library belong in there: the object is part of programs of others. The object names the file that the kernel starts,
# so there is one for this tree and one for the installed tree.
file(GLOB linked_sources CONFIGURE_DEPENDS ${ranks_sources}/linked/*.c)
list(FILTER linked_sources EXCLUDE REGEX "/program.c$")
add_library(stretto_linked OBJECT ${linked_sources})
set(installed_folder ${CMAKE_INSTALL_FULL_LIBDIR}/stretto)
add_library(stretto_linked_here OBJECT ${ranks_sources}/linked/program.c)
target_compile_definitions(stretto_linked_here PRIVATE STRETTO_RANKS_START="${ranks_folder}/ranks_start")
add_library(stretto_linked_installed OBJECT ${ranks_sources}/linked/program.c)
target_compile_definitions(stretto_linked_installed PRIVATE STRETTO_RANKS_START="${installed_folder}/ranks_start")
foreach(part stretto_linked stretto_linked_here stretto_linked_installed)
  set_target_properties(${part} PROPERTIES COMPILE_OPTIONS "" UNITY_BUILD OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${part} PRIVATE -O2 -g1 -Wall -Wextra -fno-builtin -U_FORTIFY_SOURCE)
  target_compile_definitions(${part} PRIVATE _GNU_SOURCE)
endforeach()
set(STRETTO_PROGRAM_OBJECT ${ranks_folder}/program.o)
set(STRETTO_INSTALLED_PROGRAM_OBJECT ${STRETTO_RANKS_PREFIX}/installed/program.o)
foreach(place here installed)
  set(object ${STRETTO_PROGRAM_OBJECT})
  if(place STREQUAL installed)
    set(object ${STRETTO_INSTALLED_PROGRAM_OBJECT})
  endif()
  cmake_path(GET object PARENT_PATH folder)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${object}
    $<TARGET_OBJECTS:stretto_linked> $<TARGET_OBJECTS:stretto_linked_${place}>
    DEPENDS $<TARGET_OBJECTS:stretto_linked> $<TARGET_OBJECTS:stretto_linked_${place}> COMMAND_EXPAND_LISTS VERBATIM)
endforeach()
add_custom_target(stretto_program_object ALL DEPENDS ${STRETTO_PROGRAM_OBJECT} ${STRETTO_INSTALLED_PROGRAM_OBJECT})

# Linked without a C library, by no other linker than the compiler's own.
add_executable(stretto_ranks_start ${ranks_sources}/start/start.c)
set_target_properties(stretto_ranks_start PROPERTIES OUTPUT_NAME ranks_start RUNTIME_OUTPUT_DIRECTORY ${ranks_folder}
  COMPILE_OPTIONS "" LINK_OPTIONS "" UNITY_BUILD OFF)
target_compile_options(stretto_ranks_start PRIVATE
  -O2 -Wall -Wextra -ffreestanding -fno-builtin -fno-stack-protector -fPIE)
target_link_options(stretto_ranks_start PRIVATE -nostdlib -static-pie)

# The functions of MPI: apart from libstretto, since programs that use it may call another MPI.
file(GLOB binding_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ranks/binding/*.cpp
  ${PROJECT_SOURCE_DIR}/src/acc/binding/*.cpp)
add_library(stretto_binding OBJECT ${binding_sources})
target_include_directories(stretto_binding PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
# Frame pointers lead reports from a call of MPI to the line that made it (src/ranks/process/call_record.hpp).
target_compile_options(stretto_binding PRIVATE -include ${PROJECT_SOURCE_DIR}/src/base/shared_ptr_order.hpp
  -fno-omit-frame-pointer)
target_link_libraries(stretto_binding PRIVATE stretto_flags)
set_target_properties(stretto_binding PROPERTIES POSITION_INDEPENDENT_CODE ON)
if(stretto_type STREQUAL "SHARED_LIBRARY")  # it uses what libstretto exports
  target_compile_definitions(stretto_binding PRIVATE STRETTO_VISIBILITY=default)
else()
  set_target_properties(stretto_binding PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endif()

# What LAYERS calls the floor ranks, and all of stretto, for programs that use both.
file(GLOB library_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/ranks/*.cpp)
add_library(stretto_ranks SHARED ${library_sources} $<TARGET_OBJECTS:stretto_binding>)
target_include_directories(stretto_ranks PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tools)
if(stretto_type STREQUAL "SHARED_LIBRARY")
  target_link_libraries(stretto_ranks PRIVATE stretto_flags stretto)
else()
  target_link_libraries(stretto_ranks PRIVATE stretto_flags $<LINK_LIBRARY:WHOLE_ARCHIVE,stretto>)
endif()
set_target_properties(stretto_ranks PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LIBRARY_OUTPUT_DIRECTORY ${STRETTO_RANKS_PREFIX}/${CMAKE_INSTALL_LIBDIR})
add_executable(stretto_ranks_launcher ${ranks_sources}/start/launcher.c ${ranks_sources}/start/own_file.c)
set_target_properties(stretto_ranks_launcher PROPERTIES OUTPUT_NAME ranks_launcher UNITY_BUILD OFF
  RUNTIME_OUTPUT_DIRECTORY ${ranks_folder})
target_compile_definitions(stretto_ranks_launcher PRIVATE _GNU_SOURCE
  STRETTO_RANKS_LIBRARY="libstretto_ranks.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set_target_properties(stretto_ranks_launcher PROPERTIES ENABLE_EXPORTS ON)
target_link_libraries(stretto_ranks_launcher PRIVATE ${CMAKE_DL_LIBS})
add_custom_target(stretto_ranks_files DEPENDS stretto_program_object stretto_ranks stretto_ranks_launcher
  stretto_ranks_start)

# The headers of programs, found as in an installed tree.
file(MAKE_DIRECTORY ${STRETTO_RANKS_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR})
foreach(headers stretto stretto_mpi stretto_acc)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/${headers}
       ${STRETTO_RANKS_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/${headers} SYMBOLIC)
endforeach()
