// The engine of io_uring: pieces of several transfers in one system call, aligned buffers registered with the kernel.
#include <liburing.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "aligned_memory.hpp"
#include "engine.hpp"

namespace stretto {
namespace {

constexpr unsigned depth = 128;   // pieces in the kernel at once
constexpr unsigned batch = 8;     // pieces that are not left for the next poll
constexpr unsigned buffers = 16;  // aligned ones
/// From here on the kernel must not copy from or to its page cache inside the submitting call.
constexpr std::size_t smallest_deferred_bytes = 64 << 10;

class ring final : public engine {
 public:
  explicit ring(std::function<void()> on_end) : on_end_(std::move(on_end)) {}
  ring(const ring&) = delete;
  ~ring() override {
    if (waiter_.joinable()) {
      stops_ = true;
      ::eventfd_write(ended_, 1);
      waiter_.join();
    }
    if (is_open_) ::io_uring_queue_exit(&ring_);
    if (ended_ >= 0) ::close(ended_);
  }

  /// 0, or the code of the failure.
  int open() {
    if (const int failed = ::io_uring_queue_init(depth, &ring_, 0)) return -failed;
    is_open_ = true;
    io_uring_probe* const probe = ::io_uring_get_probe_ring(&ring_);
    const bool has_all = probe && ::io_uring_opcode_supported(probe, IORING_OP_READ) &&
                         ::io_uring_opcode_supported(probe, IORING_OP_WRITE);
    if (probe) ::io_uring_free_probe(probe);
    if (!has_all) return ENOSYS;
    add_buffers();
    for (slot& one : slots_) free_.push_back(&one);
    ended_ = ::eventfd(0, EFD_CLOEXEC);
    if (ended_ < 0) return errno;
    if (const int failed = ::io_uring_register_eventfd(&ring_, ended_)) return -failed;
    ::io_uring_cq_eventfd_toggle(&ring_, false);
    waiter_ = std::thread([this] { call_on_ends(); });
    return 0;
  }

  void begin(std::unique_ptr<transfer> t) override {
    {
      const std::scoped_lock lock(mutex_);
      waiting_.push_back(std::move(t));
      prepare_waiting();
      if (prepared_ >= batch || is_kernel_idle()) submit();
      if (!is_kernel_idle()) return;
    }
    on_end_();  // the kernel took nothing, or there is nothing for it
  }

  void poll(std::vector<std::unique_ptr<transfer>>& ended) override {
    const std::scoped_lock lock(mutex_);
    if (prepared_) submit();
    unsigned seen = 0;
    unsigned head;
    io_uring_cqe* c;
    io_uring_for_each_cqe(&ring_, head, c) {
      auto& s = *static_cast<slot*>(::io_uring_cqe_get_data(c));
      ++seen;
      take_result(s, c->res, ended);
    }
    ::io_uring_cq_advance(&ring_, seen);
    for (slot* const s : std::exchange(again_, {})) prepare(*s);
    prepare_waiting(&ended);
    if (prepared_) submit();
  }

  bool must_be_polled() const noexcept override { return true; }

  bool will_call() noexcept override {
    const std::scoped_lock lock(mutex_);
    if (prepared_) submit();
    if (is_kernel_idle()) return false;  // a poll submits again, or hands out what has no pieces
    ::io_uring_cq_eventfd_toggle(&ring_, true);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return ::io_uring_cq_ready(&ring_) == 0;  // what ended before is found by a poll only
  }

 private:
  /// A piece in the kernel: what is left of it.
  struct slot {
    transfer* of = nullptr;
    transfer_piece left, whole;
    std::size_t moved = 0;
    int buffer = -1;
  };

  /// Whether the kernel moves no piece.
  bool is_kernel_idle() const noexcept { return prepared_ == depth - free_.size(); }

  /// The waiter: blocks until the kernel says that something has ended, while nobody polls.
  void call_on_ends() {
    for (eventfd_t count; ::eventfd_read(ended_, &count) == 0 || errno == EINTR;) {
      if (stops_) return;
      {
        const std::scoped_lock lock(mutex_);
        ::io_uring_cq_eventfd_toggle(&ring_, false);  // not before: a promise of will_call holds until this call
      }
      on_end_();
    }
  }

  void add_buffers() {
    memory_ = make_aligned(buffers * bounce_bytes);
    std::array<iovec, buffers> parts;
    for (unsigned i = 0; i < buffers; ++i) {
      parts[i] = {memory_.get() + i * bounce_bytes, bounce_bytes};
      free_buffers_.push_back(static_cast<int>(i));
    }
    is_registered_ = ::io_uring_register_buffers(&ring_, parts.data(), buffers) == 0;  // a limit may forbid it
  }

  std::byte* buffer(int i) const noexcept { return memory_.get() + static_cast<std::size_t>(i) * bounce_bytes; }

  /// Starts pieces of waiting transfers, oldest first, while slots and buffers are free.
  void prepare_waiting(std::vector<std::unique_ptr<transfer>>* ended = nullptr) {
    while (!waiting_.empty()) {
      transfer& t = *waiting_.front();
      while (!t.failure && t.next < t.pieces.size()) {
        const transfer_piece& p = t.pieces[t.next];
        if (free_.empty() || (p.is_bounced && free_buffers_.empty())) return;
        start(t, p);
      }
      std::unique_ptr<transfer> begun = std::move(waiting_.front());
      waiting_.pop_front();
      if (begun->moving > 0) moving_.push_back(std::move(begun));
      else if (ended) ended->push_back(std::move(begun));
      else return waiting_.push_front(std::move(begun));  // without a piece, or failed: poll hands it out
    }
  }

  void start(transfer& t, const transfer_piece& p) {
    slot& s = *free_.back();
    free_.pop_back();
    s = {&t, p, p, 0, -1};
    if (p.is_bounced) {
      s.buffer = free_buffers_.back();
      free_buffers_.pop_back();
      if (!t.is_read) std::memcpy(buffer(s.buffer), p.memory, p.bytes);
    }
    ++t.next, ++t.moving;
    prepare(s);
  }

  void prepare(slot& s) {
    io_uring_sqe* const q = ::io_uring_get_sqe(&ring_);  // there are as many as slots
    std::byte* const memory = s.buffer < 0 ? s.left.memory : buffer(s.buffer) + s.moved;
    const int from = s.of->descriptor_for(s.left);
    const auto bytes = static_cast<unsigned>(s.left.bytes);
    const bool is_fixed = s.buffer >= 0 && is_registered_;
    if (s.of->is_read && is_fixed) ::io_uring_prep_read_fixed(q, from, memory, bytes, s.left.offset, s.buffer);
    else if (s.of->is_read) ::io_uring_prep_read(q, from, memory, bytes, s.left.offset);
    else if (is_fixed) ::io_uring_prep_write_fixed(q, from, memory, bytes, s.left.offset, s.buffer);
    else ::io_uring_prep_write(q, from, memory, bytes, s.left.offset);
    if (!s.left.is_direct && s.left.bytes >= smallest_deferred_bytes) ::io_uring_sqe_set_flags(q, IOSQE_ASYNC);
    ::io_uring_sqe_set_data(q, &s);
    ++prepared_;
  }

  /// The next poll submits the pieces that the kernel does not take now.
  void submit() {
    const int taken = ::io_uring_submit(&ring_);
    if (taken > 0) prepared_ -= static_cast<unsigned>(taken);
  }

  void take_result(slot& s, int result, std::vector<std::unique_ptr<transfer>>& ended) {
    if (result == -EINTR || result == -EAGAIN) return again_.push_back(&s);
    if (result > 0 && static_cast<std::size_t>(result) < s.left.bytes) {  // a short read or write
      const auto n = static_cast<std::size_t>(result);
      s.left.offset += n, s.left.memory += n, s.left.bytes -= n, s.moved += n;
      s.left.is_direct = s.whole.is_direct && n % direct_alignment == 0;
      return again_.push_back(&s);
    }
    transfer& t = *s.of;
    if (result <= 0) {
      if (!t.failure) t.failure = t.fault(-result, s.left);
    } else if (s.buffer >= 0 && t.is_read) {
      std::memcpy(s.whole.memory, buffer(s.buffer), s.whole.bytes);
    }
    if (s.buffer >= 0) free_buffers_.push_back(s.buffer);
    free_.push_back(&s);
    --t.moving;
    if (t.moving > 0 || (!t.failure && t.next < t.pieces.size())) return;
    for (auto one = moving_.begin(); one != moving_.end(); ++one)
      if (one->get() == &t) {
        ended.push_back(std::move(*one));
        moving_.erase(one);
        return;
      }
  }

  const std::function<void()> on_end_;
  int ended_ = -1;  // eventfd
  std::atomic<bool> stops_{false};
  std::thread waiter_;
  std::mutex mutex_;  // guards what follows
  io_uring ring_{};
  bool is_open_ = false, is_registered_ = false;
  unsigned prepared_ = 0;  // pieces that the kernel does not have yet
  std::array<slot, depth> slots_;
  std::vector<slot*> free_, again_;
  aligned_memory memory_;
  std::vector<int> free_buffers_;
  std::deque<std::unique_ptr<transfer>> waiting_;  // the first may have pieces in the kernel
  std::vector<std::unique_ptr<transfer>> moving_;  // all their pieces have started
};

}  // namespace

std::unique_ptr<engine> make_ring(std::function<void()> on_end, std::string& why_not) {
  auto made = std::make_unique<ring>(std::move(on_end));
  if (const int code = made->open()) {
    why_not = std::string("the kernel refuses io_uring: ") + std::strerror(code);
    return nullptr;
  }
  return made;
}

}  // namespace stretto
