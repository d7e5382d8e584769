// Unbalanced tree search with the module for OpenSHMEM. A PE without nodes asks its neighbours, and sleeps until one of
// them sends some: a condition on its own memory starts the task that searches them. A PE that searches tests,
// in its own memory, whether neighbours ask, and sends them half of its nodes. There are no locks, and nobody polls
// others.
//
//     STRETTO_JOB=alone oshrun -n 2 uts_stretto T1
//
// The end: PE 0 counts the shares of nodes that are under way or searched. A share is counted before it is sent, and
// counted off when the PE that has it becomes idle. The PE that takes the count to 0 ends the search.
//
// Source      lifelines: Saraswat et al., "Lifeline-based Global Load Balancing", PPoPP 2011. Neighbours differ in one
//             bit of their number.
#include <stretto_shmem/shmem_module.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "uts_program.hpp"

namespace {

using namespace stretto;

constexpr std::size_t most_nodes = 1 << 12;    // of a message
constexpr unsigned long end_of_search = ~0ul;  // in place of the number of nodes of a message

class search {
 public:
  search(shmem_module& net, const uts::tree& tree, std::uint32_t workers)
      : net_(net), tree_(tree), workers_(workers), pe_(net.pe()), asked_(net.pes()) {
    for (int bit = 1; bit < net.pes(); bit *= 2)
      if ((pe_ ^ bit) < net.pes()) neighbours_.push_back(pe_ ^ bit);
    waiting_ = net.allocate<long>(net.pes()).get();
    mail_ = net.allocate<uts::node>(net.pes() * most_nodes).get();
    mail_nodes_ = net.allocate<unsigned long>(net.pes()).get();
    shares_ = net.allocate<long>(1).get();
    is_over_ = net.allocate<int>(1).get();
  }

  /// The time of one search, on all PEs.
  double run() {
    found_ = {};
    std::fill(asked_.begin(), asked_.end(), false);
    std::fill_n(waiting_, net_.pes(), 0), std::fill_n(mail_nodes_, net_.pes(), 0);
    *is_over_ = 0, *shares_ = 1;
    net_.barrier().get();
    const auto start = std::chrono::steady_clock::now();
    finish([&] {
      net_.async_when(is_over_, shmem::comparison::equal, 1, [this] {
        for (const int n : neighbours_) mail_nodes_[n] = end_of_search;
      });
      if (pe_ == 0) begin(1), async([this] { explore({tree_.root()}); });
      else ask(all_not_asked());
    });
    net_.barrier().get();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  /// The census of all PEs.
  uts::census sum_of_all() {
    const uts::census& mine = found_;
    long* const values = net_.allocate<long>(6).get();
    values[0] = static_cast<long>(mine.nodes), values[1] = static_cast<long>(mine.leaves), values[2] = mine.depth;
    net_.reduce<shmem::operation::sum>(values + 3, values, 2).get();
    net_.reduce<shmem::operation::greatest>(values + 5, values + 2, 1).get();
    return {static_cast<std::uint64_t>(values[3]), static_cast<std::uint64_t>(values[4]), static_cast<int>(values[5])};
  }

 private:
  // ---- searching

  void explore(uts::stack nodes) {
    uts::census found;
    for (int steps = 0; !nodes.empty(); ++steps) {
      uts::expand(tree_, nodes, found);
      if (steps % uts::steps_per_check == 0 && nodes.size() >= 2 * uts::least_shared) share(nodes);
    }
    end(found);
  }

  void share(uts::stack& nodes) {
    for (const int n : neighbours_)
      if (*static_cast<volatile long*>(waiting_ + n) != 0 && nodes.size() >= 2 * uts::least_shared) send(nodes, n);
    if (workers_ == 1 || nodes.size() < 2 * uts::least_shared || !should_split()) return;
    begin(0);
    async([this, older = uts::take_oldest(nodes, nodes.size() / 2)] { explore(older); });
  }

  void send(uts::stack& nodes, int to) {
    // One task of the PE replies.
    if (std::atomic_ref(waiting_[to]).exchange(0) == 0) return;
    net_.atomic_fetch_add(shares_, 1, 0);
    const uts::stack older = uts::take_oldest(nodes, std::min(nodes.size() / 2, most_nodes));
    net_.put_signal(mail_ + pe_ * most_nodes, older, mail_nodes_ + pe_, older.size(), to);
  }

  // ---- being idle

  void ask(const std::vector<int>& those) {
    for (const int n : those) {
      net_.async_when(mail_nodes_ + n, shmem::comparison::not_equal, 0, [this, n] { receive(n); });
      net_.atomic_set(waiting_ + pe_, 1, n);
    }
  }

  void receive(int from) {
    const unsigned long count = std::exchange(mail_nodes_[from], 0);
    if (count == end_of_search) return;
    const uts::node* const first = mail_ + from * most_nodes;
    uts::stack nodes(first, first + count);
    begin(1, from);
    explore(std::move(nodes));
  }

  // ---- what the PE has: tasks that search, and shares

  void begin(long shares, int replier = -1) {
    const std::scoped_lock lock(mutex_);
    ++tasks_;
    held_ += shares;
    if (replier >= 0) asked_[replier] = false;
  }

  void end(const uts::census& found) {
    long left = 0;
    {
      const std::scoped_lock lock(mutex_);
      found_ += found;
      if (--tasks_ > 0) return;
      left = std::exchange(held_, 0);
    }
    if (net_.atomic_fetch_add(shares_, -left, 0).get() > left) return ask(all_not_asked());
    for (int to = 0; to < net_.pes(); ++to) net_.atomic_set(is_over_, 1, to);
  }

  std::vector<int> all_not_asked() {
    const std::scoped_lock lock(mutex_);
    std::vector<int> those;
    for (const int n : neighbours_)
      if (!asked_[n]) asked_[n] = true, those.push_back(n);
    return those;
  }

  shmem_module& net_;
  const uts::tree& tree_;
  const std::uint32_t workers_;
  const int pe_;
  std::vector<int> neighbours_;

  // Symmetric.
  long* waiting_;              // by neighbour: whether it has asked and has no reply
  uts::node* mail_;            // by neighbour: its nodes
  unsigned long* mail_nodes_;  // by neighbour: how many
  long* shares_;               // at PE 0
  int* is_over_;

  std::mutex mutex_;  // guards what follows
  uts::census found_;
  std::vector<bool> asked_;
  int tasks_ = 0;
  long held_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const uts::arguments given = uts::arguments::parse(argc, argv);
  const uts::tree tree(given.named->parameters);
  auto net = std::make_shared<shmem_module>();
  runtime rt({.modules = {net}});
  return rt.run([&] {
    search one(*net, tree, rt.workers());
    std::vector<double> seconds;
    for (int i = 0; i < given.repetitions; ++i) seconds.push_back(one.run());
    return uts::report("Stretto", net->pe(), net->pes(), *given.named, one.sum_of_all(), seconds);
  });
}
