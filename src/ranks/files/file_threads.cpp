// file_threads.cpp - starts threads for work, and finishes it on threads of the runtime.
#include "ranks/files/file_threads.hpp"

#include <thread>
#include <utility>

#include "base/context.hpp"
#include "sched/poll_coordinator.hpp"
#include "sched/scheduler.hpp"

namespace stretto::ranks {

file_threads::~file_threads() {
  std::unique_lock lock(mutex_);
  none_runs_.wait(lock, [&] { return running_ == 0; });
}

void file_threads::attach() {
  auto* const scheduler =
      base::require_current("MPI_File_open").runtime->get<sched::scheduler>(base::floor_slot::sched);
  next_poll(std::chrono::steady_clock::time_point::max());  // performed work asks for a poll
  scheduler->polls->add(*this);
}

void file_threads::submit(std::unique_ptr<file_work> work) {
  add_pending();
  const std::scoped_lock lock(mutex_);
  waiting_.push_back(std::move(work));
  if (running_ == most_threads || running_ >= std::ssize(waiting_)) return;
  ++running_;
  std::thread([this] { run(); }).detach();
}

void file_threads::run() noexcept {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty()) {
    std::unique_ptr<file_work> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work->perform();
    lock.lock();
    performed_.push_back(std::move(work));
    poll_now();
  }
  if (--running_ == 0) none_runs_.notify_all();
}

std::size_t file_threads::poll() {
  next_poll(std::chrono::steady_clock::time_point::max());  // what ends from now on asks again
  std::vector<std::unique_ptr<file_work>> performed;
  {
    const std::scoped_lock lock(mutex_);
    performed.swap(performed_);
  }
  for (const auto& work : performed) work->finish();
  remove_pending(performed.size());
  return performed.size();
}

// Work that has been performed has called already.
bool file_threads::will_call() noexcept {
  const std::scoped_lock lock(mutex_);
  return performed_.empty();
}

void file_threads::fail(std::exception_ptr) noexcept {}  // poll() throws nothing: finish() does not

}  // namespace stretto::ranks
