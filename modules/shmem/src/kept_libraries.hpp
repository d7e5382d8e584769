// kept_libraries.hpp - a way round a crash of Open MPI's OpenSHMEM in shmem_finalize (4.1.4, with UCX).
#pragma once

namespace stretto::shmem {

/// Keeps the components that Open MPI has loaded in the process until that ends. Its component for UCX registers a
/// function that is called when memory is freed; shmem_finalize unloads the component but not that function, and then
/// frees memory.
void keep_loaded_components();

}  // namespace stretto::shmem
