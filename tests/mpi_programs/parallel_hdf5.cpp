// A buffer is written to a file by parallel HDF5 in a collective host task, which blocks in MPI, and read back.
//
//     parallel_hdf5 FILE
#include <hdf5.h>
#include <mpi.h>

#include <stretto/stretto.hpp>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <vector>

using namespace stretto;

namespace {

constexpr coordinate rows = 300, columns = 200;

STRETTO_KERNEL(number_all, (out<double, 2> u),
               { u(global_id(0), global_id(1)) = 1000.0 * global_id(0) + global_id(1); })

hid_t checked(hid_t id) {
  if (id < 0) throw std::runtime_error("HDF5 says no");
  return id;
}

/// The file and its one array, opened by all nodes.
struct parallel_file {
  parallel_file(const char* name, MPI_Comm all, bool is_new) {
    const hid_t by_mpi = checked(H5Pcreate(H5P_FILE_ACCESS));
    checked(H5Pset_fapl_mpio(by_mpi, all, MPI_INFO_NULL));
    file =
        checked(is_new ? H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, by_mpi) : H5Fopen(name, H5F_ACC_RDONLY, by_mpi));
    H5Pclose(by_mpi);
    const std::array<hsize_t, 2> lengths{rows, columns};
    space = checked(H5Screate_simple(2, lengths.data(), nullptr));
    array = checked(is_new ? H5Dcreate(file, "u", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                           : H5Dopen(file, "u", H5P_DEFAULT));
    together = checked(H5Pcreate(H5P_DATASET_XFER));
    checked(H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE));
  }
  ~parallel_file() { H5Pclose(together), H5Dclose(array), H5Sclose(space), H5Fclose(file); }

  /// The memory that holds these rows alone.
  hid_t select(coordinate first, coordinate last) const {
    const std::array<hsize_t, 2> from{static_cast<hsize_t>(first), 0};
    const std::array<hsize_t, 2> lengths{static_cast<hsize_t>(last - first), columns};
    checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), nullptr, lengths.data(), nullptr));
    return checked(H5Screate_simple(2, lengths.data(), nullptr));
  }

  hid_t file, space, array, together;
};

coordinate first_row(std::uint32_t part, std::uint32_t parts) { return rows * part / parts; }

}  // namespace

int main(int, char** argv) {
  const char* const name = argv[1];
  runtime rt({.workers = 1});
  rt.run([&] {
    buffer<double, 2> u(box({0, 0}, {rows, columns}));
    launch(number_all, u.elements(), u(one_to_one));
    // The last node writes the first rows: each has to wait for another's elements before it can begin, and sends
    // while it blocks.
    const std::uint32_t nodes = job_nodes();
    const auto of_others = [nodes](const box& part) {
      const auto p = nodes - 1 - static_cast<std::uint32_t>(part.min()[0]);
      return box({first_row(p, nodes), 0}, {first_row(p + 1, nodes), columns});
    };
    host_task(
        collective{},
        [name](collective_part me, view<const double, 2> u) {
          const parallel_file to(name, me.communicator<MPI_Comm>(), true);
          const auto p = me.nodes - 1 - me.node;
          const coordinate first = first_row(p, me.nodes), last = first_row(p + 1, me.nodes);
          std::vector<double> mine;
          for (coordinate i = first; i < last; ++i)
            for (coordinate j = 0; j < columns; ++j) mine.push_back(u(i, j));
          const hid_t memory = to.select(first, last);
          checked(H5Dwrite(to.array, H5T_NATIVE_DOUBLE, memory, to.space, to.together, mine.data()));
          H5Sclose(memory);
        },
        u.in(of_others));
    host_task(collective{}, [name](collective_part me) {
      const parallel_file from(name, me.communicator<MPI_Comm>(), false);
      std::vector<double> all(rows * columns);
      const hid_t memory = from.select(0, rows);
      checked(H5Dread(from.array, H5T_NATIVE_DOUBLE, memory, from.space, from.together, all.data()));
      H5Sclose(memory);
      coordinate wrong = 0;
      for (coordinate k = 0; k < rows * columns; ++k)
        wrong += all[static_cast<std::size_t>(k)] !=
                 1000.0 * static_cast<double>(k / columns) + static_cast<double>(k % columns);
      std::printf("node %u: %lld elements are wrong\n", me.node, static_cast<long long>(wrong));
    });
    wait(epoch());
  });
}
