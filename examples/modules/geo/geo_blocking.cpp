// GEO with blocking calls of MPI: a step copies the planes at the faces to the host, exchanges them, copies those of
// the neighbours to the device, and computes all planes there. Each of these waits for the one before.
//
//     STRETTO_JOB=alone mpirun -n 2 geo_blocking 48 20
#include <mpi.h>

#include <chrono>

#include "geo_slab.hpp"

namespace {

using namespace stretto;

class simulation {
 public:
  simulation(const geo::slab& s, place ram, place device)
      : slab_(s), host_(geo::field::create(at(ram), s.whole()).made) {
    wait(host_.ready());
    geo::begin(host_);
    for (auto& f : on_device_) {
      f = geo::field::create(at(device), s.whole()).made;
      wait(copy(host_, f));
    }
  }

  void step(int number) {
    const geo::field &u = on_device_[number % 2], &v = on_device_[1 - number % 2];
    if (number > 0) exchange(u);
    wait(launch(geo::diffused, slab_.computed(slab_.first, slab_.last), u, v));
  }

  /// The own planes after that many steps, on the host.
  const geo::field& result(int steps) {
    wait(copy(on_device_[steps % 2], host_));
    return host_;
  }

 private:
  void exchange(const geo::field& u) {
    copy_planes(u, host_, slab_.first, slab_.last - 1);
    send_and_receive(slab_.before, slab_.first, slab_.after, slab_.last);
    send_and_receive(slab_.after, slab_.last - 1, slab_.before, slab_.first - 1);
    copy_planes(host_, u, slab_.first - 1, slab_.last);
  }
  void copy_planes(const geo::field& from, const geo::field& to, int one, int other) {
    wait(copy(from, to, slab_.planes(one, one + 1)));
    wait(copy(from, to, slab_.planes(other, other + 1)));
  }
  void send_and_receive(int to, int sent, int from, int received) {
    const auto rank = [](int neighbour) { return neighbour == geo::no_neighbour ? MPI_PROC_NULL : neighbour; };
    const int n = static_cast<int>(slab_.plane_elements());
    MPI_Sendrecv(&host_.view()(sent, 0, 0), n, MPI_FLOAT, rank(to), 0, &host_.view()(received, 0, 0), n, MPI_FLOAT,
                 rank(from), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  const geo::slab slab_;
  geo::field host_, on_device_[2];
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0, processes = 1, code = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const geo::arguments given = geo::arguments::parse(argc, argv);
  const geo::slab s = geo::slab::of(me, processes, given.side);
  {
    runtime rt(geo::with_device());
    code = rt.run([&] {
      simulation one(s, rt.machine().memories().front(), rt.machine().places(place_kind::gpu_memory).front());
      MPI_Barrier(MPI_COMM_WORLD);
      const auto start = std::chrono::steady_clock::now();
      for (int step = 0; step < given.steps; ++step) one.step(step);
      const geo::field& result = one.result(given.steps);
      MPI_Barrier(MPI_COMM_WORLD);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      float mine = geo::difference(s, given.steps, result), greatest = 0;
      MPI_Allreduce(&mine, &greatest, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
      return geo::report("MPI with blocking calls", me, s, given, greatest, time.count());
    });
  }
  MPI_Finalize();
  return code;
}
