// Unbalanced tree search with OpenSHMEM and OpenMP. The threads of a PE share nodes in a deque. Thread 0 passes nodes
// on to the pool from which other PEs steal, and steals from others once all threads of the PE are idle.
//
//     OMP_NUM_THREADS=2 oshrun -n 2 uts_hybrid T1
#include <omp.h>
#include <atomic>
#include <mutex>

#include "modules/started_openshmem.hpp"
#include "uts_blocking.hpp"

namespace {

class team {
 public:
  team(const uts::tree& tree, uts::shared_pool& pool) : tree_(tree), pool_(pool), threads_(omp_get_max_threads()) {}

  uts::census search(bool has_root) {
    uts::census all;
    if (has_root) put({tree_.root()});
#pragma omp parallel num_threads(threads_)
    {
      const uts::census mine = work(omp_get_thread_num() == 0);
#pragma omp critical
      all += mine;
    }
    return all;
  }

 private:
  uts::census work(bool communicates) {
    uts::census found;
    uts::stack nodes;
    for (int steps = 0; !nodes.empty() || find(nodes, communicates); ++steps) {
      uts::expand(tree_, nodes, found);
      if (steps % uts::steps_per_check == 0 && nodes.size() >= 2 * uts::least_shared) share(nodes, communicates);
    }
    return found;
  }

  void share(uts::stack& nodes, bool communicates) {
    if (communicates && pool_.is_low()) pool_.put(uts::take_oldest(nodes, nodes.size() / 2));
    else if (threads_ > 1 && size_.load(std::memory_order_relaxed) < uts::least_shared)
      put(uts::take_oldest(nodes, nodes.size() / 2));
  }

  void put(const uts::stack& nodes) {
    const std::scoped_lock lock(mutex_);
    nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
    size_ = nodes_.size();
  }

  // Half of what the team has.
  bool take(uts::stack& nodes) {
    if (size_ == 0) return false;
    const std::scoped_lock lock(mutex_);
    nodes = uts::take_oldest(nodes_, (nodes_.size() + 1) / 2);
    size_ = nodes_.size();
    if (!nodes.empty()) --idle_;
    return !nodes.empty();
  }

  bool find(uts::stack& nodes, bool communicates) {
    if (communicates && !(nodes = pool_.take_back()).empty()) return true;
    ++idle_;
    while (!is_over_) {
      if (take(nodes)) return true;
      if (!communicates || !is_idle()) continue;
      nodes = pool_.steal();
      if (!nodes.empty()) {
        --idle_;
        return true;
      }
      is_over_ = true;
    }
    return false;
  }

  // Nodes and thieves change hands under the mutex, so that no nodes are left if this holds.
  bool is_idle() {
    if (idle_ < threads_) return false;
    const std::scoped_lock lock(mutex_);
    return idle_ == threads_ && nodes_.empty();
  }

  const uts::tree& tree_;
  uts::shared_pool& pool_;
  const int threads_;
  std::mutex mutex_;
  uts::stack nodes_;  // of the team, guarded by the mutex
  std::atomic<std::size_t> size_{0};
  std::atomic<int> idle_{0};
  std::atomic<bool> is_over_{false};
};

uts::census search(const uts::tree& tree, uts::shared_pool& pool, bool has_root) {
  return team(tree, pool).search(has_root);
}

}  // namespace

int main(int argc, char** argv) {
  const started_openshmem here;
  return uts::run("OpenSHMEM and OpenMP", uts::arguments::parse(argc, argv), search);
}
