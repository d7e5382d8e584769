// work_stealing.cpp - UTS by hand: POSIX threads, private stacks, chunks of nodes shared under a lock.
//
// A worker keeps its newest nodes on a private stack that no other worker touches. When the stack holds two chunks and
// the worker's queue of shared chunks is short, the worker moves the oldest chunk to the queue, from which idle workers
// steal.
//
// Threads     `workers` POSIX threads, the main thread among them.
// Invariants  (1) a node is on one stack or in one queue. (2) the search ends when all workers are idle: an idle
//             worker has no nodes, and only a worker that is not idle makes some.

#include <pthread.h>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>

#include "common/measure.hpp"
#include "uts/search.hpp"

namespace {

constexpr std::size_t chunk_nodes = 20;
constexpr std::size_t chunks_per_thief = 2;  // length of a queue, for each other worker
using chunk = std::vector<uts::node>;

class chunk_queue {
 public:
  chunk_queue() { pthread_spin_init(&lock_, PTHREAD_PROCESS_PRIVATE); }
  ~chunk_queue() { pthread_spin_destroy(&lock_); }
  chunk_queue(const chunk_queue&) = delete;
  chunk_queue& operator=(const chunk_queue&) = delete;

  void put(chunk c) {
    pthread_spin_lock(&lock_);
    chunks_.push_back(std::move(c));
    size_.store(chunks_.size(), std::memory_order_relaxed);
    pthread_spin_unlock(&lock_);
  }
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }  // a hint to others
  std::optional<chunk> take_newest() {
    return take([](std::deque<chunk>& from) {
      chunk newest = std::move(from.back());
      from.pop_back();
      return newest;
    });
  }
  std::optional<chunk> take_oldest() {
    return take([](std::deque<chunk>& from) {
      chunk oldest = std::move(from.front());
      from.pop_front();
      return oldest;
    });
  }

 private:
  template <class Which>
  std::optional<chunk> take(Which which) {
    if (size() == 0) return std::nullopt;
    std::optional<chunk> taken;
    pthread_spin_lock(&lock_);
    if (!chunks_.empty()) taken = which(chunks_);
    size_.store(chunks_.size(), std::memory_order_relaxed);
    pthread_spin_unlock(&lock_);
    return taken;
  }

  std::atomic<std::size_t> size_{0};  // read before the lock is taken
  pthread_spinlock_t lock_;
  std::deque<chunk> chunks_;
};

struct alignas(128) worker {
  chunk_queue shared;
  chunk stack;
  uts::census found;
};

class search {
 public:
  search(const uts::tree& tree, int workers) : tree_(tree), workers_(workers), idle_(0) {
    workers_[0].stack.push_back(tree.root());
  }

  uts::census run() {
    std::vector<pthread_t> threads(workers_.size());
    std::vector<start> starts;
    for (std::size_t i = 0; i < workers_.size(); ++i) starts.push_back({this, i});
    for (std::size_t i = 1; i < workers_.size(); ++i) pthread_create(&threads[i], nullptr, enter, &starts[i]);
    work(0);
    for (std::size_t i = 1; i < workers_.size(); ++i) pthread_join(threads[i], nullptr);
    uts::census all;
    for (const worker& w : workers_) all += w.found;
    return all;
  }

 private:
  struct start {
    search* self;
    std::size_t index;
  };
  static void* enter(void* argument) {
    const start* s = static_cast<start*>(argument);
    s->self->work(s->index);
    return nullptr;
  }

  void work(std::size_t self) {
    worker& me = workers_[self];
    do {
      while (!me.stack.empty()) expand(me);
    } while (find_work(self));
  }

  void expand(worker& me) {
    const uts::node n = me.stack.back();
    me.stack.pop_back();
    const int children = tree_.num_children(n);
    me.found.visit(n, children);
    for (int i = 0; i < children; ++i) me.stack.push_back(tree_.child(n, i));
    if (me.stack.size() >= 2 * chunk_nodes && me.shared.size() < chunks_per_thief * (workers_.size() - 1)) give(me);
    if (me.stack.empty())
      if (std::optional<chunk> own = me.shared.take_newest()) me.stack = std::move(*own);
  }

  void give(worker& me) {
    const auto oldest = me.stack.begin();
    me.shared.put(chunk(oldest, oldest + chunk_nodes));
    me.stack.erase(oldest, oldest + chunk_nodes);
  }

  // Tries to steal from one worker after another; false once all are idle.
  bool find_work(std::size_t self) {
    idle_.fetch_add(1);
    while (idle_.load() < workers_.size())
      for (std::size_t i = 1; i < workers_.size(); ++i) {
        worker& victim = workers_[(self + i) % workers_.size()];
        if (victim.shared.size() == 0) continue;
        idle_.fetch_sub(1);  // before the theft: a chunk in flight has an owner that is not idle
        if (std::optional<chunk> stolen = victim.shared.take_oldest()) {
          workers_[self].stack = std::move(*stolen);
          return true;
        }
        idle_.fetch_add(1);
      }
    return false;
  }

  const uts::tree& tree_;
  std::vector<worker> workers_;
  alignas(128) std::atomic<std::size_t> idle_;
};

bench::outcome time_uts(const bench::options& o) {
  return uts::measure(o, [&](const uts::tree& t) { return search(t, o.workers).run(); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::program pthreads{.system = "pthreads",
                                .entries = {{"uts", "Mnodes/s", bench::better::higher, 0, time_uts}}};
  return bench::run(pthreads, argc, argv);
}
