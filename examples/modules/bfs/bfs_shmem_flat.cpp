// Breadth-first search with OpenSHMEM alone: a PE polls for messages while it expands vertices.
//
//     oshrun -n 2 bfs_shmem_flat 16      verified: 8 searches keep the five rules
#include <shmem.h>

#include <algorithm>
#include <new>
#include <utility>

#include "bfs_mailboxes.hpp"
#include "bfs_program.hpp"
#include "modules/started_openshmem.hpp"
#include "polling_search.hpp"

namespace {

using namespace graph500;

template <class T>
T* symmetric(std::size_t n) {
  auto* const at = static_cast<T*>(shmem_malloc(n * sizeof(T)));
  if (!at) throw std::bad_alloc();
  std::fill_n(at, n, T());
  return at;
}

class shmem_exchange {
 public:
  shmem_exchange()
      : pe_(shmem_my_pe()),
        pes_(shmem_n_pes()),
        boxes_{symmetric<discovery>(mailboxes::all(pes_) * mailboxes::most),
               symmetric<unsigned long>(mailboxes::all(pes_)), symmetric<unsigned long>(pes_)},
        sent_(pes_),
        handled_(pes_),
        has_come_(pes_) {
    std::fill(std::begin(sync_), std::end(sync_), SHMEM_SYNC_VALUE);
    shmem_barrier_all();
  }

  void begin_level() {
    std::fill(has_come_.begin(), has_come_.end(), false);
    has_come_[pe_] = true;
  }

  template <class Handle>
  bool poll(Handle& handle) {
    for (int from = 0; from < pes_; ++from) {
      const std::size_t slot = mailboxes::slot(from, handled_[from]);
      if (has_come_[from] || !shmem_ulong_test(boxes_.filled + slot, SHMEM_CMP_NE, 0)) continue;
      const unsigned long with = std::exchange(boxes_.filled[slot], 0);
      handle({boxes_.message_of(from, handled_[from]), mailboxes::count(with)});
      shmem_ulong_atomic_set(boxes_.handled + pe_, ++handled_[from], from);
      has_come_[from] = mailboxes::is_last(with);
    }
    return std::find(has_come_.begin(), has_come_.end(), false) == has_come_.end();
  }

  template <class Handle>
  void send(int to, const std::vector<discovery>& some, bool is_last, Handle& handle) {
    const std::size_t message = sent_[to]++;
    while (!shmem_ulong_test(boxes_.handled + to, SHMEM_CMP_GE, mailboxes::before(message))) poll(handle);
    shmem_putmem(boxes_.message_of(pe_, message), some.data(), some.size() * sizeof(discovery), to);
    shmem_fence();
    shmem_ulong_atomic_set(boxes_.filled + mailboxes::slot(pe_, message),
                           (some.size() + 1) | (is_last ? mailboxes::last : 0), to);
  }

  long sum(long n) {
    *mine_ = n;
    shmem_barrier_all();
    shmem_long_sum_to_all(sum_, mine_, 1, 0, 0, pes_, scratch_, sync_);
    return *sum_;
  }

  std::vector<vertex> gather(const std::vector<vertex>& mine) {
    auto* const from = symmetric<vertex>(mine.size());
    auto* const into = symmetric<vertex>(mine.size() * pes_);
    std::copy(mine.begin(), mine.end(), from);
    shmem_barrier_all();
    shmem_fcollect32(into, from, mine.size(), 0, 0, pes_, sync_);
    std::vector<vertex> all(into, into + mine.size() * pes_);
    shmem_barrier_all();
    shmem_free(into), shmem_free(from);
    return all;
  }

 private:
  const int pe_, pes_;
  const mailboxes boxes_;
  std::vector<std::size_t> sent_, handled_;  // messages, by PE
  std::vector<bool> has_come_;               // the last one of the level, by PE
  long* const mine_ = symmetric<long>(1);
  long* const sum_ = symmetric<long>(1);
  long* const scratch_ = symmetric<long>(SHMEM_REDUCE_MIN_WRKDATA_SIZE);
  static inline long sync_[SHMEM_COLLECT_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE];
};

}  // namespace

int main(int argc, char** argv) {
  const started_openshmem here;
  const arguments given = arguments::parse(argc, argv);
  const graph_part g(given.scale, shmem_my_pe(), shmem_n_pes());
  search_tree tree(g);
  shmem_exchange exchange;
  polling_search search(g, tree, exchange);
  const collectives all{[] { shmem_barrier_all(); }, [&](long n) { return exchange.sum(n); },
                        [&](const std::vector<vertex>& mine) { return exchange.gather(mine); }};
  return run("OpenSHMEM", given, g, tree, all, [&](vertex root) { search.run(root); });
}
