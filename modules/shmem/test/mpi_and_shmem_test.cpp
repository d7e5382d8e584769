// OpenSHMEM and MPI in one program, over Open MPI, which provides both: OpenSHMEM starts MPI, so its module comes
// first.
#include <stretto_mpi/mpi_module.hpp>
#include <stretto_shmem/shmem_module.hpp>

#include <cstdio>
#include <vector>

using namespace stretto;
using shmem::comparison;

int main() {
  auto symmetric = std::make_shared<shmem_module>();
  auto messages = std::make_shared<mpi_module>();
  int failures = 0;
  {
    runtime rt({.workers = 2, .modules = {symmetric, messages}});
    rt.run([&] {
      const auto world = messages->world();
      const int me = symmetric->pe(), pes = symmetric->pes(), next = (me + 1) % pes;
      if (world.rank() != me || world.size() != pes) ++failures;

      // Tasks use both at the same time. A message carries the number of the task; the put is the reply.
      constexpr int tasks = 100;
      long* const seen = symmetric->allocate<long>(tasks).get();
      finish([&] {
        for (int i = 0; i < tasks; ++i)
          async([&, i] {
            const auto sent = world.isend(i, next, i);
            const int number = world.recv<int>((me + pes - 1) % pes, i);
            symmetric->put(seen + number, 1L + number, (me + pes - 1) % pes).get();
            symmetric->wait_until(seen + i, comparison::not_equal, 0);
            sent.get();
          });
      });
      for (int i = 0; i < tasks; ++i) failures += seen[i] != i + 1;
      long sum = me;
      world.iallreduce(std::span(&sum, 1), MPI_SUM).get();
      failures += sum != pes * (pes - 1) / 2;
      symmetric->barrier().get();
    });
  }
  if (!failures) std::printf("all is well\n");
  return failures ? 1 : 0;
}
