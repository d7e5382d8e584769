// Breadth-first search with the module for OpenSHMEM. A message is handled by a task that runs once it is there, and a
// task that finds no free slot for its message is suspended: conditions take the place of polling.
//
//     STRETTO_JOB=alone oshrun -n 2 bfs_shmem_stretto 16
#include <stretto_shmem/shmem_module.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

#include "bfs_mailboxes.hpp"
#include "bfs_program.hpp"
#include "task_search.hpp"

namespace {

using namespace stretto;
using namespace graph500;
using shmem::comparison;

class condition_exchange {
 public:
  explicit condition_exchange(shmem_module& net) : net_(net), sent_(net.pes()), handled_(net.pes()) {
    const std::size_t slots = mailboxes::all(net.pes());
    boxes_ = {net.allocate<discovery>(slots * mailboxes::most).get(), net.allocate<unsigned long>(slots).get(),
              net.allocate<unsigned long>(net.pes()).get()};
    values_ = net.allocate<long>(2).get();
    net.barrier().get();
  }

  template <class Handle>
  void receive(int from, Handle handle) {
    unsigned long* const filled = boxes_.filled + mailboxes::slot(from, handled_[from]);
    net_.async_when(filled, comparison::not_equal, 0, [this, from, handle, filled] {
      const unsigned long with = std::exchange(*filled, 0);
      handle(std::span<const discovery>(boxes_.message_of(from, handled_[from]), mailboxes::count(with)));
      net_.atomic_set(boxes_.handled + net_.pe(), ++handled_[from], from);
      if (!mailboxes::is_last(with)) receive(from, handle);
    });
  }

  void send(int to, std::vector<discovery> some, bool is_last) {
    const std::size_t message = sent_[to]++;
    net_.wait_until(boxes_.handled + to, comparison::at_least, mailboxes::before(message));
    net_.put_signal(boxes_.message_of(net_.pe(), message), some, boxes_.filled + mailboxes::slot(net_.pe(), message),
                    (some.size() + 1) | (is_last ? mailboxes::last : 0), to);
  }

  long sum(long n) {
    values_[0] = n;
    net_.reduce<shmem::operation::sum>(values_ + 1, values_, 1).get();
    return values_[1];
  }

  std::vector<vertex> gather(const std::vector<vertex>& mine) {
    vertex* const from = net_.allocate<vertex>(mine.size()).get();
    vertex* const into = net_.allocate<vertex>(mine.size() * net_.pes()).get();
    std::copy(mine.begin(), mine.end(), from);
    net_.collect(into, from, mine.size()).get();
    std::vector<vertex> all(into, into + mine.size() * net_.pes());
    net_.free(into).get(), net_.free(from).get();
    return all;
  }

 private:
  shmem_module& net_;
  mailboxes boxes_{};
  std::vector<std::atomic<std::size_t>> sent_;  // messages, by PE
  std::vector<std::size_t> handled_;            // messages, by PE
  long* values_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const arguments given = arguments::parse(argc, argv);
  auto net = std::make_shared<shmem_module>();
  runtime rt({.modules = {net}});
  return rt.run([&] {
    const graph_part g(given.scale, net->pe(), net->pes());
    search_tree tree(g);
    condition_exchange exchange(*net);
    task_search search(g, tree, exchange);
    const collectives all{[&] { net->barrier().get(); }, [&](long n) { return exchange.sum(n); },
                          [&](const std::vector<vertex>& mine) { return exchange.gather(mine); }};
    return graph500::run("Stretto and OpenSHMEM", given, g, tree, all, [&](vertex root) { search.run(root); });
  });
}
