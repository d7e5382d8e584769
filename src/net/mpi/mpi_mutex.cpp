#include <stretto/mpi_mutex.hpp>

namespace stretto {

std::mutex& mpi_mutex() noexcept {
  static std::mutex one;  // of the process, as MPI is
  return one;
}

}  // namespace stretto
