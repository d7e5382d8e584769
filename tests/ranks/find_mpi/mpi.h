// mpi.h - a stand-in with what CMake's FindMPI tries, and the program of this folder: one rank per process.
#pragma once

#define MPI_VERSION 3
#define MPI_SUBVERSION 1
#define MPI_SUCCESS 0
#define MPI_MAX_LIBRARY_VERSION_STRING 64
typedef void* MPI_Comm;
#define MPI_COMM_WORLD ((MPI_Comm)0x101)

static inline int MPI_Init(int* argc, char*** argv) { return !argc || !argv; }
static inline int MPI_Finalize(void) { return MPI_SUCCESS; }
static inline int MPI_Get_library_version(char* text, int* size) {
  text[0] = 's', text[1] = 0;
  *size = 1;
  return MPI_SUCCESS;
}
static inline int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = 0;
  return comm != MPI_COMM_WORLD;
}
