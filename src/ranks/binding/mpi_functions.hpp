// mpi_functions.hpp - mpi.h for the files that define its functions: visible to programs, each with its two names.
//
// Functions are defined outside of namespaces: within one, GCC does not see that they are declared as visible.
#pragma once

#pragma GCC visibility push(default)
#include <stretto_mpi/mpi.h>
#pragma GCC visibility pop

/// Gives PMPI_name, defined above it in the file, its first name, which tools may replace.
#define STRETTO_MPI_NAME(name) extern decltype(MPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)));
