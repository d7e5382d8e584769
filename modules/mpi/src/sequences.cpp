#include "sequences.hpp"

#include <stretto/error.hpp>

#include <utility>
#include <vector>

#include "faults.hpp"

namespace stretto::mpi {

using detail::operation;

void sequences::put(std::unique_ptr<operation> o, readiness when, const starter& start) {
  const MPI_Comm comm = o->what.comm;
  std::unique_lock lock(mutex_);
  sequence& s = all_[comm];
  count_.store(all_.size(), std::memory_order_release);
  if (s.cause) {
    const auto why = out_of_step(*o, s.skipped, s.cause);
    lock.unlock();
    return o->poison(why);
  }
  s.all.push_back({std::move(o), when == readiness::now});
  if (when == readiness::now) start_front(lock, comm, start);
}

void sequences::ready(MPI_Comm comm, const operation* o, const starter& start) {
  std::unique_lock lock(mutex_);
  const auto s = all_.find(comm);
  if (s == all_.end()) return;  // failed meanwhile
  for (waiting& w : s->second.all)
    if (w.is.get() == o) w.is_ready = true;
  start_front(lock, comm, start);
}

// An entry stays until its call has started: another thread sees that the communicator is not idle, and waits in line.
void sequences::start_front(std::unique_lock<std::mutex>& lock, MPI_Comm comm, const starter& start) {
  sequence& s = all_[comm];
  if (s.is_starting) return;
  s.is_starting = true;
  while (!s.all.empty() && s.all.front().is_ready) {
    auto next = std::move(s.all.front().is);
    lock.unlock();
    start(std::move(next));
    lock.lock();
    s.all.pop_front();
  }
  s.is_starting = false;
  drop_if_idle(comm);
}

void sequences::drop_if_idle(MPI_Comm comm) {
  const auto s = all_.find(comm);
  if (s == all_.end() || !s->second.all.empty() || s->second.cause) return;
  all_.erase(s);
  count_.store(all_.size(), std::memory_order_release);
}

void sequences::skip(MPI_Comm comm, const operation* o, const std::exception_ptr& why) {
  std::vector<std::pair<std::unique_ptr<operation>, std::exception_ptr>> lost;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = all_.find(comm);
    if (found == all_.end()) return;
    sequence& s = found->second;
    std::size_t at = 0;
    while (at < s.all.size() && s.all[at].is.get() != o) ++at;
    if (at == s.all.size()) return;  // behind another that was skipped
    s.skipped = std::string(name_of(o->what.kind)) + ", " + short_location(o->where);
    s.cause = why;
    lost.emplace_back(std::move(s.all[at].is), why);
    for (std::size_t later = at + 1; later < s.all.size(); ++later) {
      auto is = std::move(s.all[later].is);
      auto because = out_of_step(*is, s.skipped, why);
      lost.emplace_back(std::move(is), std::move(because));
    }
    s.all.resize(at);
  }
  for (auto& [is, because] : lost) is->poison(because);
}

void sequences::forget(MPI_Comm comm) {
  const std::scoped_lock lock(mutex_);
  const auto s = all_.find(comm);
  if (s == all_.end() || !s->second.all.empty()) return;
  all_.erase(s);
  count_.store(all_.size(), std::memory_order_release);
}

}  // namespace stretto::mpi
