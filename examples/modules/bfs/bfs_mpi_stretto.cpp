// Breadth-first search with the module for MPI: a message is handled by a task that waits for its receive.
//
//     STRETTO_JOB=alone mpirun -n 2 bfs_mpi_stretto 16
#include <stretto/stretto.hpp>
#include <stretto_mpi/mpi.hpp>

#include "bfs_program.hpp"
#include "task_search.hpp"

namespace {

using namespace stretto;
using namespace graph500;

constexpr int message_tag = 0, last_tag = 1;

class future_exchange {
 public:
  explicit future_exchange(const mpi::communicator& world) : world_(world) {}

  template <class Handle>
  void receive(int from, Handle handle) {
    auto room = std::make_shared<std::vector<discovery>>(most_discoveries);
    auto received = world_.irecv(std::span(*room), from);
    async(after(received), [this, from, handle, room, received] {
      const mpi::status is = received.get();
      if (is.tag() != last_tag) receive(from, handle);
      handle(std::span<const discovery>(room->data(), is.count<discovery>()));
    });
  }

  void send(int to, std::vector<discovery> some, bool is_last) {
    auto kept = std::make_shared<const std::vector<discovery>>(std::move(some));
    auto sent = world_.isend(std::span(*kept), to, is_last ? last_tag : message_tag);
    if (!sent.is_ready()) async(after(sent), [kept] {});
  }

  long sum(long n) const { return world_.allreduce(n, MPI_SUM); }

  std::vector<vertex> gather(const std::vector<vertex>& mine) const {
    std::vector<vertex> all(mine.size() * world_.size());
    world_.iallgather(mine, all).get();
    return all;
  }

 private:
  const mpi::communicator world_;
};

}  // namespace

int main(int argc, char** argv) {
  const arguments given = arguments::parse(argc, argv);
  auto net = std::make_shared<mpi_module>();
  runtime rt({.modules = {net}});
  return rt.run([&] {
    const auto world = net->world();
    const graph_part g(given.scale, world.rank(), world.size());
    search_tree tree(g);
    future_exchange exchange(world);
    task_search search(g, tree, exchange);
    const collectives all{[&] { world.ibarrier().get(); }, [&](long n) { return exchange.sum(n); },
                          [&](const std::vector<vertex>& mine) { return exchange.gather(mine); }};
    return graph500::run("Stretto and MPI", given, g, tree, all, [&](vertex root) { search.run(root); });
  });
}
