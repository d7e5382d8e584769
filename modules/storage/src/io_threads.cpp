#include "io_threads.hpp"

#include <unistd.h>
#include <stretto/runtime.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

namespace stretto {
namespace {

constexpr std::uint64_t offset_mask = (std::uint64_t{1} << io_threads::offset_bits) - 1;

[[noreturn]] void fault(int code, const char* what, const file::opened& f, std::uint64_t offset, std::size_t bytes) {
  throw std::system_error(code, std::generic_category(),
                          std::string(what) + " " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                              " of " + f.path.string());
}

/// All of them, however many the system takes at a time.
void move_all(const file::opened& f, bool is_read, std::byte* memory, std::uint64_t offset, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const auto at = static_cast<off_t>(offset + done);
    const ssize_t n = is_read ? ::pread(f.descriptor, memory + done, bytes - done, at)
                              : ::pwrite(f.descriptor, memory + done, bytes - done, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fault(errno, is_read ? "reading" : "writing", f, offset, bytes);
    if (n == 0)
      throw std::runtime_error(f.path.string() + " ends at byte " + std::to_string(offset + done) + "; " +
                               std::to_string(bytes) + " bytes at " + std::to_string(offset) + " were to be read");
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace

file::opened::~opened() {
  of->remove(number);
  if (descriptor >= 0) ::close(descriptor);
}

void io_threads::count_in(statistic reads, statistic writes, statistic tasks) noexcept {
  reads_ = reads, writes_ = writes, tasks_ = tasks;
}

bool io_threads::is_storage(place p) const noexcept {
  return std::find(places_.begin(), places_.end(), p) != places_.end();
}

void io_threads::begin(runtime& owner) {
  next_poll(std::chrono::steady_clock::time_point::max());  // whoever ends a copy asks to be polled
  ends_ = false;
  for (unsigned i = 0; i < count_; ++i) threads_.emplace_back([this, &owner] { run_thread(owner); });
}

void io_threads::end() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  for (auto& t : threads_) t.join();
  threads_.clear();
  stop_polling();
  poll();
}

void io_threads::add(const std::shared_ptr<file::opened>& f) {
  const std::scoped_lock lock(mutex_);
  f->number = next_number_++;
  files_[f->number] = f;
}
void io_threads::remove(std::uint64_t number) noexcept {
  const std::scoped_lock lock(mutex_);
  files_.erase(number);
}

std::shared_ptr<file::opened> io_threads::file_at(const std::byte* address) {
  const auto number = reinterpret_cast<std::uintptr_t>(address) >> offset_bits;
  const std::scoped_lock lock(mutex_);
  const auto found = files_.find(number);
  auto f = found == files_.end() ? nullptr : found->second.lock();
  if (!f) throw std::runtime_error("an address at a storage place belongs to no open file");
  return f;
}

void io_threads::put(work w) {
  {
    const std::scoped_lock lock(mutex_);
    queue_.push_back(std::move(w));
  }
  wake_.notify_one();
}

void io_threads::serve(served_task&& task, place) { put({std::move(task), nullptr}); }

void io_threads::start(const copy_end& source, const copy_end& target, const copy_extent& extent, copy_done&& done) {
  auto c = std::make_unique<copy>();
  c->source = source, c->target = target, c->extent = extent;
  c->is_read = source.memory && is_storage(source.memory);
  c->of = file_at(c->is_read ? source.address : target.address);
  c->done = std::move(done);
  add_pending();
  put({{}, std::move(c)});
}

std::vector<std::unique_ptr<io_threads::copy>> io_threads::take_ended() noexcept {
  const std::scoped_lock lock(mutex_);
  return std::exchange(ended_, {});
}

std::size_t io_threads::poll() {
  next_poll(std::chrono::steady_clock::time_point::max());  // before it looks: what ends afterwards asks again
  const auto ended = take_ended();
  for (const auto& c : ended) c->failure ? c->done.fail(c->failure) : c->done.succeed();
  remove_pending(ended.size());
  return ended.size();
}

// poll() lets nothing out but what the core throws for want of memory: the copies that wait are told by their handles.
void io_threads::fail(std::exception_ptr why) noexcept {
  for (const auto& c : take_ended()) c->done.fail(why);
}

void io_threads::transfer(copy& c) noexcept {
  const auto timing = (c.is_read ? reads_ : writes_).measure(c.extent.bytes());
  try {
    const copy_end& of_file = c.is_read ? c.source : c.target;
    const copy_end& of_memory = c.is_read ? c.target : c.source;
    for (std::size_t p = 0; p < c.extent.planes; ++p)
      for (std::size_t r = 0; r < c.extent.rows; ++r) {
        const auto at =
            reinterpret_cast<std::uintptr_t>(of_file.address) + p * of_file.plane_stride + r * of_file.row_stride;
        std::byte* const memory = of_memory.address + p * of_memory.plane_stride + r * of_memory.row_stride;
        move_all(*c.of, c.is_read, memory, at & offset_mask, c.extent.row_bytes);
      }
  } catch (...) {
    c.failure = std::current_exception();
  }
}

void io_threads::run_thread(runtime& owner) {
  attached_thread here(owner);
  for (;;) {
    work w;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return ends_ || !queue_.empty(); });
      if (queue_.empty()) return;
      w = std::move(queue_.front());
      queue_.pop_front();
    }
    if (w.task) {
      const auto timing = tasks_.measure();
      w.task.run();
      continue;
    }
    transfer(*w.bytes);
    {
      const std::scoped_lock lock(mutex_);
      ended_.push_back(std::move(w.bytes));
    }
    poll_now();
  }
}

}  // namespace stretto
