#include "io_threads.hpp"

#include <unistd.h>
#include <stretto/runtime.hpp>

#include <cerrno>
#include <cstring>
#include <utility>

#include "aligned_memory.hpp"

namespace stretto {
namespace {

/// An aligned buffer of the thread, made when first needed.
std::byte* buffer_of_thread() {
  static thread_local aligned_memory memory;
  if (!memory) memory = make_aligned(bounce_bytes);
  return memory.get();
}

/// All of the piece, however much the system takes at a time.
std::exception_ptr move_piece(const transfer& t, const transfer_piece& whole) {
  std::byte* const memory = whole.is_bounced ? buffer_of_thread() : whole.memory;
  if (whole.is_bounced && !t.is_read) std::memcpy(memory, whole.memory, whole.bytes);
  transfer_piece left = whole;
  for (std::size_t done = 0; done < whole.bytes;) {
    const int from = t.descriptor_for(left);
    const auto at = static_cast<off_t>(left.offset);
    const ssize_t n =
        t.is_read ? ::pread(from, memory + done, left.bytes, at) : ::pwrite(from, memory + done, left.bytes, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return t.fault(n < 0 ? errno : 0, left);
    const auto moved = static_cast<std::size_t>(n);
    done += moved, left.offset += moved, left.bytes -= moved;
    left.is_direct = left.is_direct && moved % direct_alignment == 0;
  }
  if (whole.is_bounced && t.is_read) std::memcpy(whole.memory, memory, whole.bytes);
  return nullptr;
}

void move_all(transfer& t) noexcept {
  try {
    for (const transfer_piece& p : t.pieces)
      if ((t.failure = move_piece(t, p))) return;
  } catch (...) {
    t.failure = std::current_exception();
  }
}

}  // namespace

void io_threads::start(runtime& owner, std::function<void()> on_end) {
  on_end_ = std::move(on_end);
  stops_ = false;
  for (unsigned i = 0; i < count_; ++i) threads_.emplace_back([this, &owner] { run_thread(owner); });
}

void io_threads::stop() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    stops_ = true;
  }
  wake_.notify_all();
  for (auto& t : threads_) t.join();
  threads_.clear();
}

void io_threads::put(work w) {
  {
    const std::scoped_lock lock(mutex_);
    queue_.push_back(std::move(w));
  }
  wake_.notify_one();
}

void io_threads::serve(served_task&& task, place) { put({std::move(task), nullptr}); }
void io_threads::begin(std::unique_ptr<transfer> t) { put({{}, std::move(t)}); }

void io_threads::poll(std::vector<std::unique_ptr<transfer>>& ended) {
  const std::scoped_lock lock(mutex_);
  for (auto& t : ended_) ended.push_back(std::move(t));
  ended_.clear();
}

void io_threads::run_thread(runtime& owner) {
  attached_thread here(owner);
  for (;;) {
    work w;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stops_ || !queue_.empty(); });
      if (queue_.empty()) return;
      w = std::move(queue_.front());
      queue_.pop_front();
    }
    if (w.task) {
      const auto timing = tasks_.measure();
      w.task.run();
      continue;
    }
    move_all(*w.bytes);
    {
      const std::scoped_lock lock(mutex_);
      ended_.push_back(std::move(w.bytes));
    }
    on_end_();
  }
}

}  // namespace stretto
