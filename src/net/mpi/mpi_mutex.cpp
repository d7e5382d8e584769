#include <stretto/mpi_mutex.hpp>

namespace stretto {

std::mutex& mpi_mutex() noexcept {
  static std::mutex one;  // one per process, like MPI
  return one;
}

}  // namespace stretto
