#include "demo/uts/node_part.hpp"

#include <stretto/job.hpp>
#include <stretto/remote.hpp>
#include <stretto/task.hpp>
#include <utility>

namespace uts {
namespace {

/// Workers share the count of a progress, so each brings its nodes there in bundles.
constexpr std::uint64_t told_at_once = 16384;

/// A stack for another node has at least as many, half of these: fewer are searched sooner than sent.
constexpr std::size_t worth_sending = 8;

/// Nodes that are visited between two checks for requests: some 100 microseconds.
constexpr int most_in_a_row = 1024;

/// The older nodes stand nearer to the root, so that their subtrees are the larger ones.
std::vector<node> older_half(std::vector<node>& stack) {
  const auto middle = stack.begin() + static_cast<std::ptrdiff_t>(stack.size() / 2);
  std::vector<node> older(stack.begin(), middle);
  stack.erase(stack.begin(), middle);
  return older;
}

}  // namespace

part::part(const tree& searched, std::uint32_t workers, stretto::progress* shown)
    : searched_(searched), counts_(workers), shown_(shown) {}

part::part(const parameters& of, std::uint32_t workers) : part(tree(of), workers, nullptr) {}

void part::join(std::vector<std::uint64_t> all) { all_ = std::move(all); }

void part::search(std::vector<node> from) {
  running_.fetch_add(1, std::memory_order_relaxed);
  stretto::async([this, stack = std::move(from)]() mutable { visit(std::move(stack)); });
}

void part::visit(std::vector<node> stack) {
  int searched_in_a_row = 0;
  padded* mine = &counts_[stretto::this_worker()];
  while (!stack.empty()) {
    const node n = stack.back();
    stack.pop_back();
    const int children = searched_.num_children(n);
    mine->counted.visit(n, children);
    for (int i = 0; i < children; ++i) stack.push_back(searched_.child(n, i));
    // Tasks in a worker's queue cannot be sent to another node: without other workers nothing is put there.
    if (stack.size() > 1 && counts_.size() > 1 && stretto::should_split()) search(older_half(stack));
    if (is_asked_.load(std::memory_order_relaxed) && stack.size() >= worth_sending) {
      give_to_node(stack);
      mine = &counts_[stretto::this_worker()];  // a task may move to another worker where it waits, as a send may
    }
    if (!all_.empty() && ++searched_in_a_row == most_in_a_row) {  // who asks is a task, too
      searched_in_a_row = 0;
      stretto::yield();
      mine = &counts_[stretto::this_worker()];
    }
    if (shown_ && mine->counted.nodes % told_at_once == 0) shown_->advance(told_at_once);
  }
  if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) request_work();
}

void part::give_to_node(std::vector<node>& stack) {
  std::uint32_t to = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (hungry_.empty()) return;
    to = hungry_.back();
    hungry_.pop_back();
    is_asked_.store(!hungry_.empty(), std::memory_order_relaxed);
  }
  given_.fetch_add(1, std::memory_order_relaxed);
  stretto::async(stretto::at_node(to), stretto::name("work from another node"),
                 stretto::call([](std::uint64_t there, std::vector<node> nodes) { at(there).search(std::move(nodes)); },
                               all_[to], older_half(stack)));
}

void part::request_work() {
  if (all_.empty()) return;
  const std::uint32_t here = stretto::this_node(), nodes = static_cast<std::uint32_t>(all_.size());
  for (std::uint32_t distance = 1; distance < nodes; distance *= 2) {
    const std::uint32_t neighbour = (here + distance) % nodes;
    stretto::async(
        stretto::at_node(neighbour), stretto::name("another node has nothing to do"),
        stretto::call([](std::uint64_t there, std::uint32_t who) { at(there).asked_by(who); }, all_[neighbour], here));
  }
}

void part::asked_by(std::uint32_t node) {
  const std::scoped_lock lock(mutex_);
  for (const std::uint32_t known : hungry_)
    if (known == node) return;
  hungry_.push_back(node);
  is_asked_.store(true, std::memory_order_relaxed);
}

std::vector<census> part::counted() const {
  std::vector<census> all;
  for (const padded& one : counts_) all.push_back(one.counted);
  return all;
}

}  // namespace uts
