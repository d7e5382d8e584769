# What an installed copy consists of: headers, the library, the command, and two ways to find them:
# find_package(stretto) with the target stretto::stretto, and pkg-config stretto.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME stretto)  # all but the libraries for MPIs (cmake/package.cmake)
include(CMakePackageConfigHelpers)

get_target_property(stretto_type stretto TYPE)
# A static library brings what it links along: in the exported target, and on the pkg-config line.
set(stretto_private_libs "-lboost_context -lhwloc -lspdlog -lfmt -pthread")
if(stretto_type STREQUAL "STATIC_LIBRARY")
  set(stretto_is_static TRUE)
  set(stretto_pc_libs "-lstretto ${stretto_private_libs}")
  set(stretto_pc_libs_private "")
  set(stretto_pc_cflags "")
else()
  set(stretto_is_static FALSE)
  set(stretto_pc_libs "-lstretto -pthread")
  set(stretto_pc_libs_private "${stretto_private_libs}")
  set(stretto_pc_cflags " -DSTRETTO_VISIBILITY=default")  # one copy for all
endif()

set(stretto_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stretto)
install(TARGETS stretto EXPORT stretto-targets)
install(DIRECTORY include/stretto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Found relative to libstretto where that is shared, and to the command. A program that holds the static library may lie
# anywhere: it is linked with the folder among those where its libraries are looked for.
set(STRETTO_MPI_COMPONENTS)
foreach(file ${STRETTO_MPI_FILES})
  string(REGEX REPLACE ".*stretto_mpi_(.*)\\.so" "\\1" name ${file})
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/stretto COMPONENT ${name})
  list(APPEND STRETTO_MPI_COMPONENTS ${name})
endforeach()
install(TARGETS stretto_driver_probe DESTINATION ${CMAKE_INSTALL_LIBDIR}/stretto)
if(stretto_is_static)
  target_link_options(stretto INTERFACE
    $<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/stretto>)
  # Before -pthread: behind that pkgconf 1.8 does not escape the spaces of a path.
  string(REPLACE "-lstretto " "-lstretto -Wl,-rpath,\${libdir}/stretto " stretto_pc_libs "${stretto_pc_libs}")
endif()
install(EXPORT stretto-targets NAMESPACE stretto:: DESTINATION ${stretto_cmake_dir})
configure_package_config_file(cmake/stretto-config.cmake.in ${PROJECT_BINARY_DIR}/stretto-config.cmake
  INSTALL_DESTINATION ${stretto_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stretto-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stretto-config.cmake ${PROJECT_BINARY_DIR}/stretto-config-version.cmake
  DESTINATION ${stretto_cmake_dir})

# gdb reads what lies beside a shared library under its name; for a static one it is told to (docs/guide/gdb.md).
install(FILES tools/gdb/stretto_gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/stretto)
if(NOT stretto_is_static)
  install(FILES tools/gdb/stretto_gdb.py DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RENAME libstretto.so.${PROJECT_VERSION}-gdb.py)
endif()

# Relative to the file itself, so that an installed copy may be moved.
file(RELATIVE_PATH stretto_prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/stretto.pc.in ${PROJECT_BINARY_DIR}/stretto.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/stretto.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# For Environment Modules and Lmod, as clusters have them.
configure_file(packaging/modulefile.in ${PROJECT_BINARY_DIR}/modulefile @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/stretto
  RENAME ${PROJECT_VERSION})
if(STRETTO_TOOLS)
  install(TARGETS stretto_command)
  install(DIRECTORY examples/media DESTINATION ${CMAKE_INSTALL_DATADIR}/stretto FILES_MATCHING PATTERN "*.png")
  install(FILES examples/mpi/heat.c DESTINATION ${CMAKE_INSTALL_DATADIR}/stretto/mpi)
  install(FILES examples/acc/jacobi_forms.c DESTINATION ${CMAKE_INSTALL_DATADIR}/stretto/acc)
endif()

# What `stretto cc` links to programs of ranks, and what runs them (cmake/ranks.cmake).
if(TARGET stretto_ranks)
  install(TARGETS stretto_ranks LIBRARY)
  install(TARGETS stretto_ranks_start stretto_ranks_launcher DESTINATION ${CMAKE_INSTALL_LIBDIR}/stretto)
  install(FILES ${STRETTO_INSTALLED_PROGRAM_OBJECT} DESTINATION ${CMAKE_INSTALL_LIBDIR}/stretto)
  install(TARGETS stretto_c_c stretto_c_cxx)
  install(DIRECTORY include/stretto_mpi include/stretto_acc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/package.cmake)
endif()
