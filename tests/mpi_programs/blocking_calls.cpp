// Collective host tasks that block in calls of MPI, while another node needs what this one sends or computes.
//
//     blocking_calls WAY WORKERS
#include <mpi.h>

#include <stretto/mpi_mutex.hpp>
#include <stretto/stretto.hpp>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

using namespace stretto;

namespace {

constexpr coordinate n = 1 << 16;

STRETTO_KERNEL(number_all, (out<int> x), { x(global_id(0)) = int(global_id(0)); })
STRETTO_KERNEL(add_one, (in<int> x, out<int> y), { y(global_id(0)) = x(global_id(0)) + 1; })

/// Of one group after the other, and of several at once.
void each_group_has_its_own() {
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round)
    for (std::uint32_t group = 0; group < 3; ++group)
      host_task(collective{group}, [group, round](collective_part me) {
        const int mine = static_cast<int>(10 * (me.node + 1) + group);
        int sum = 0, rank = -1;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, me.communicator<MPI_Comm>());
        MPI_Comm_rank(me.communicator<MPI_Comm>(), &rank);
        if (round == rounds - 1) std::printf("node %d: group %u has %d\n", rank, group, sum);
      });
  wait(epoch());
}

/// `lock`: each call of the program's under mpi_mutex(), which is not needed with MPI_THREAD_MULTIPLE and does no harm.
void blocks_while_others_need_this_node(const std::string& way) {
  const auto locked = [lock = way == "lock"] {
    return lock ? std::optional<std::unique_lock<std::mutex>>(mpi_mutex()) : std::nullopt;
  };
  MPI_Comm world = MPI_COMM_NULL;
  if (way != "own") {
    const auto held = locked();
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
  }
  buffer<int> x(box(0, n)), y(box(0, n)), z(box(0, n));
  launch(number_all, x.elements(), x(one_to_one));
  launch(add_one, x.elements(), x(one_to_one), y(one_to_one));
  // Node 0 blocks at once in the call, and all others read what node 0 has computed or has yet to.
  const auto what_is_read = [](const box& part) { return part.min()[0] == 0 ? box(0, 1) : box(0, n); };
  host_task(
      collective{},
      [world, locked](collective_part me, view<const int> y) {
        const long mine = y(0);
        long sum = 0;
        const MPI_Comm all = world == MPI_COMM_NULL ? me.communicator<MPI_Comm>() : world;
        const auto held = locked();
        MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, all);
        std::printf("node %u: sum %ld\n", me.node, sum);
      },
      y.in(what_is_read));
  launch(add_one, x.elements(), y(one_to_one), z(one_to_one));
  wait(epoch());
  if (world == MPI_COMM_NULL) return;
  const auto held = locked();
  MPI_Comm_free(&world);
}

void fails_as_tasks_fail() {
  try {
    wait(host_task(collective{}, [](collective_part) { throw std::runtime_error("the body failed"); }));
  } catch (const std::exception& e) {
    std::printf("node %u: %s\n", this_node(), e.what());
  }
}

void wants_a_communicator() {
  try {
    wait(host_task(collective{}, [](collective_part me) { me.communicator<MPI_Comm>(); }));
  } catch (const error& e) {
    std::printf("node %u: %s\n", this_node(), e.what());
  }
  try {
    wait(host_task(collective{1}, [](collective_part me) { me.communicator<char>(); }));
  } catch (const error& e) {
    std::printf("node %u: %s\n", this_node(), e.why().c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "own";
  const bool starts_mpi = way == "multiple" || way == "serialized";
  int level = 0;
  const int wanted = way == "multiple" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
  if (starts_mpi) MPI_Init_thread(&argc, &argv, wanted, &level);
  {
    runtime rt({.workers = argc > 2 ? static_cast<std::uint32_t>(std::atoi(argv[2])) : 1});
    rt.run([&] {
      if (way == "groups") each_group_has_its_own();
      else if (way == "fails") fails_as_tasks_fail();
      else if (way == "serialized" || way == "wants") wants_a_communicator();
      else blocks_while_others_need_this_node(way);
    });
  }
  if (starts_mpi) MPI_Finalize();
}
