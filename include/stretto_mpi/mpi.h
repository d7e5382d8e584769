/* mpi.h - the C binding of MPI for programs whose ranks are threads of Stretto.

   Values, handles and structures are those of the ABI of MPI 5.0 (version 1.0 of the ABI), so that objects which were
   compiled with any header of that ABI link with Stretto. MPI_VERSION says which version Stretto implements: 4.0,
   without processes that start or join later, and of 4.1 and 5.0 some functions. C99, and C++ from C++98 on. */
#ifndef MPI_H_ABI
#define MPI_H_ABI

#include <stdint.h>

#define MPI_VERSION 4
#define MPI_SUBVERSION 0
#define MPI_ABI_VERSION 1
#define MPI_ABI_SUBVERSION 0

#ifdef __cplusplus
extern "C" {
#endif

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

/* MPI_internal belongs to the library. */
typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;

#include "mpi_handles.h"
/* those that need handles */
#include "mpi_callbacks.h"
#include "mpi_constants.h"
#include "mpi_errors.h"
#include "mpi_tool_types.h"
/* those that need all types */
#include "mpi_functions.h"

#ifdef __cplusplus
}
#endif

#endif
