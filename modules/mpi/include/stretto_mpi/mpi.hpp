// mpi.hpp - the MPI module, whole.
#pragma once

#include <stretto_mpi/mpi_module.hpp>
