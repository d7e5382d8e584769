// furnace.cpp - an MPI program that calls Stretto: ranks wait for a buffer that a mobile object fills.
//
// This program shows tasks, kernels, buffers and mobile objects in the ranks of an MPI program. Rank 0 has a furnace,
// a mobile object, which fills a buffer with temperatures in each step. As soon as the buffer is filled, tasks send it
// to the other ranks by MPI_Send. These receive with MPI_Irecv, and the event of each request starts a task that heats
// a plate. The program helps readers who have an MPI program and want to overlap parts of it.
//
//     stretto c++ -std=c++20 -O2 furnace.cpp -o furnace
//     STRETTO_RANKS=4 ./furnace
//
// Output, in any order
//   rank 1: the plate has 653.84 degrees
//   rank 2: the plate has 653.84 degrees
//   rank 3: the plate has 653.84 degrees
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <vector>

#include <stretto/stretto.hpp>
#include <stretto_mpi/request_event.hpp>

using namespace stretto;

namespace {

constexpr int cells = 64, steps = 20;

buffer<double> burner;  // a global variable: each rank has its own, and rank 0 uses it

STRETTO_KERNEL(burn, (out<double> x, double temperature), {
  const int i = global_id(0);
  x(i) = temperature * (1 + 0.001 * i);
})

struct furnace {
  double temperature = 20;
  void heat() {
    temperature += 0.2 * (1000 - temperature);
    launch(burn, burner.elements(), burner(one_to_one), temperature);
  }
  template <class Archive>
  friend void fields(Archive& a, archived<furnace, Archive>& f) {
    a(f.temperature);
  }
};

void send_heat(int ranks) {
  burner = buffer<double>(box(0, cells));
  const auto fire = make_mobile<furnace>(name("furnace"));
  finish([&] {
    for (int step = 0; step < steps; ++step) {
      send(fire, call<&furnace::heat>()).get();  // this rank waits, its worker runs others
      const auto filled = burner.read();         // of this step, whatever later steps write
      for (int to = 1; to < ranks; ++to)
        async(after(filled), [filled, step, to] {
          const auto temperatures = filled.get().view();
          MPI_Send(&temperatures(0), cells, MPI_DOUBLE, to, step, MPI_COMM_WORLD);
        });
    }
  });
  destroy(fire);
  burner = {};
}

double received_heat() {
  std::vector<std::vector<double>> received(steps, std::vector<double>(cells));
  std::vector<MPI_Request> requests(steps);
  double plate = 20;
  future<void> heated = async([] {});
  for (std::size_t step = 0; step < steps; ++step) {
    MPI_Irecv(received[step].data(), cells, MPI_DOUBLE, 0, static_cast<int>(step), MPI_COMM_WORLD, &requests[step]);
    heated = async(after(heated, event_of(requests[step])), [&plate, &from = received[step]] {
      for (const double temperature : from) plate += 0.001 * (temperature - plate);
    });
  }
  heated.get();
  MPI_Waitall(steps, requests.data(), MPI_STATUSES_IGNORE);
  return plate;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) send_heat(ranks);
  else std::printf("rank %d: the plate has %.2f degrees\n", rank, received_heat());
  MPI_Finalize();
}
