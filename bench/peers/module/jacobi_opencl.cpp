// jacobi_opencl.cpp - the relaxation of the demo jacobi3d on a device of each rank, hand-written with OpenCL and MPI:
// kernels pack the faces, copies bring them to the host, MPI exchanges them, and back. Steps follow one another; the
// host waits whenever it needs the result of a device.
//
// Threads     one worker per process.
#include <mpi.h>
#include <stretto/stretto.hpp>

#include <vector>

#include "common/slow_device.hpp"
#include "demo/jacobi3d/device_kernels.hpp"
#include "peers/module/jacobi_opencl.hpp"
#include "peers/mpi/blocks.hpp"

using namespace stretto;
using namespace jacobi3d;

namespace {

using array = instance<double, 3>;

array made_on(at_place memory, const box& b) {
  const auto one = array::create(memory, b);
  wait(one.ready);
  return one.made;
}

/// The buffers of one side of a block: packed on the device, and on the host, where messages begin and end.
struct gate {
  gate(at_place memory, const box& mine, const box& theirs)
      : packed(made_on(memory, mine)),
        came(made_on(memory, theirs)),
        out(mine.volume()),
        in(theirs.volume()),
        host_out(array::external(out.data(), mine)),
        host_in(array::external(in.data(), theirs)) {}
  void destroy() const {
    for (const array& a : {packed, came, host_out, host_in}) a.destroy();
  }

  array packed, came;
  std::vector<double> out, in;
  array host_out, host_in;
};

double relax_on_device(const problem& p, const place& device, const place& memory) {
  const auto [mine, neighbour] = of_this_rank(p);
  const box cells = inside_of(mine);
  field content(p, mine);
  const array begins = array::external(content.values.data(), around(mine));
  array now = made_on(at(memory), around(mine)), next = made_on(at(memory), around(mine));
  std::vector<gate> gates;
  gates.reserve(sides);
  for (unsigned side = 0; side < sides; ++side) {
    const box face = layer_of(mine, side);
    point towards(0, 0, 0);
    towards[2 - static_cast<int>(side / 2)] = side % 2 ? 1 : -1;
    gates.emplace_back(at(memory), face, box::between(face.min() + towards, face.max() + towards));
  }

  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch clock;
  wait(merge(copy(begins, now), copy(begins, next)));
  event relaxed;
  for (std::uint32_t step = 0; step < p.iterations; ++step) {
    std::vector<event> ends;
    for (unsigned side = 0; side < sides; ++side) {
      if (neighbour[side] == MPI_PROC_NULL) continue;
      const gate& g = gates[side];
      const event packed = launch(on(device), after(relaxed), copy_cells, g.packed.elements(), now, g.packed);
      ends.push_back(copy(g.packed, g.host_out, after(packed)));
    }
    wait(merge(ends));
    MPI_Request all[2 * sides];
    for (int side = 0; side < static_cast<int>(sides); ++side) {
      gate& g = gates[static_cast<unsigned>(side)];
      const int other = neighbour[static_cast<unsigned>(side)];
      MPI_Irecv(g.in.data(), static_cast<int>(g.in.size()), MPI_DOUBLE, other, side, MPI_COMM_WORLD, &all[side]);
      MPI_Isend(g.out.data(), static_cast<int>(g.out.size()), MPI_DOUBLE, other, side ^ 1, MPI_COMM_WORLD,
                &all[sides + static_cast<unsigned>(side)]);
    }
    MPI_Waitall(2 * sides, all, MPI_STATUSES_IGNORE);
    ends.clear();
    for (unsigned side = 0; side < sides; ++side) {
      if (neighbour[side] == MPI_PROC_NULL) continue;
      const gate& g = gates[side];
      ends.push_back(launch(on(device), after(copy(g.host_in, g.came)), copy_cells, g.came.elements(), g.came, now));
    }
    ends.push_back(relaxed);
    relaxed = launch(on(device), after(merge(ends)), relax_cells, cells, now, next, 1.0 / 6);
    std::swap(now, next);
  }
  wait(relaxed);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = clock.seconds();

  wait(copy(now, begins));
  double change = 0;
  if (largest_difference(content, mine, relaxed_serially(p, change)) != 0)
    throw bench::wrong_answer("a value is not the serial loop's");
  for (const gate& g : gates) g.destroy();
  for (const array& a : {now, next, begins}) a.destroy();
  return seconds;
}

}  // namespace

bench::outcome count_cells_on_devices(const bench::options& o) {
  const auto n = static_cast<std::uint32_t>(o.size);
  const problem p{{n, n, n}, static_cast<std::uint32_t>(o.steps / 20)};
  runtime with_device({.workers = 1, .devices = bench::slow_device});
  const platform& machine = with_device.machine();
  double seconds = 0;
  with_device.run([&] { seconds = relax_on_device(p, machine.at("sim_0"), machine.at("sim_0_memory")); });
  return {.value = static_cast<double>(cells(p.size)) * p.iterations / seconds / 1e6};
}
