// status.hpp - what came: from whom, with which tag, how much. A value.
#pragma once

#include <mpi.h>
#include <stretto_mpi/datatype.hpp>

#include <cstddef>

namespace stretto::mpi {

class status {
 public:
  status() noexcept = default;
  explicit status(const MPI_Status& raw) noexcept : raw_(raw) {}

  int source() const noexcept { return raw_.MPI_SOURCE; }
  int tag() const noexcept { return raw_.MPI_TAG; }
  /// Whole elements of that type that came.
  template <element T>
  std::size_t count() const noexcept {
    const int n = count(type_of<T>().is);
    return n == MPI_UNDEFINED ? 0 : static_cast<std::size_t>(n) / type_of<T>().each;
  }
  /// The same, as MPI_Get_count says it: MPI_UNDEFINED where a part of an element came.
  int count(MPI_Datatype type) const noexcept {
    int n = 0;
    MPI_Get_count(&raw_, type, &n);
    return n;
  }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(count(MPI_BYTE)); }

  const MPI_Status& raw() const noexcept { return raw_; }

 private:
  MPI_Status raw_{};
};

}  // namespace stretto::mpi
