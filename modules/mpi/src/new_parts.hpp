// new_parts.hpp - what a call makes or learns, while it does.
#pragma once

#include <mpi.h>

namespace stretto::mpi {

struct known_comm {
  MPI_Comm is;
  int rank = 0, size = 0;
};

struct new_window {
  MPI_Aint bytes = 0;
  int unit = 1;
  void* memory = nullptr;
  MPI_Win is = MPI_WIN_NULL;
};

}  // namespace stretto::mpi
