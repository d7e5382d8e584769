/* mpi_functions.h - all functions of MPI, by chapter, and their second names. Included by mpi.h. */
#ifndef STRETTO_MPI_FUNCTIONS_H
#define STRETTO_MPI_FUNCTIONS_H

#include "mpi_collectives.h"
#include "mpi_communicators.h"
#include "mpi_datatypes.h"
#include "mpi_environment.h"
#include "mpi_files.h"
#include "mpi_fortran_handles.h"
#include "mpi_one_sided.h"
#include "mpi_point_to_point.h"
#include "mpi_tools.h"
#include "mpi_topologies.h"
/* after all others */
#include "mpi_profiling.h"

#endif
