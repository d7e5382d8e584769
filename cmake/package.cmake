# Debian packages of what is installed, by CPack: `./stretto package`. Users of one MPI do not get the other one.
#
#   stretto           the command, the library, headers, and the programs that `stretto demo` compiles
#   stretto-openmpi   the library through which jobs run over Open MPI
#   stretto-mpich     the same for MPICH
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stretto)
set(CPACK_PACKAGE_CONTACT "the developers of Stretto")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "runtime for programs on many unlike processors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/build/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL stretto ${STRETTO_MPI_COMPONENTS})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/ranks/lib)
# Programs are compiled with the headers; regions of OpenACC are read by libclang.
set(CPACK_DEBIAN_STRETTO_PACKAGE_NAME stretto)
set(CPACK_DEBIAN_STRETTO_PACKAGE_RECOMMENDS "g++ (>= 4:12), libclang1-16, stretto-openmpi | stretto-mpich")
set(CPACK_DEBIAN_STRETTO_PACKAGE_SUGGESTS "cmake (>= 3.25), pkg-config, graphviz, gdb")
foreach(name ${STRETTO_MPI_COMPONENTS})
  string(TOUPPER ${name} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME stretto-${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "stretto (= ${PROJECT_VERSION})")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "jobs of Stretto over this MPI")
endforeach()
set(CPACK_DEBIAN_OPENMPI_PACKAGE_RECOMMENDS openmpi-bin)
set(CPACK_DEBIAN_MPICH_PACKAGE_RECOMMENDS mpich)
include(CPack)
