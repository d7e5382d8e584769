// started_openshmem.hpp - OpenSHMEM from here to the end of a scope, for programs without a runtime.
#pragma once

#include <shmem.h>

#include "shmem/src/kept_libraries.hpp"

/// One thread of the process calls OpenSHMEM.
class started_openshmem {
 public:
  started_openshmem() {
    int level = 0;
    shmem_init_thread(SHMEM_THREAD_FUNNELED, &level);
    stretto::shmem::keep_loaded_components();  // Open MPI 4.1.4 crashes in shmem_finalize without it
  }
  started_openshmem(const started_openshmem&) = delete;
  ~started_openshmem() { shmem_finalize(); }
};
