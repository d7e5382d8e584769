#include "net/self/self_transport.hpp"

#include <atomic>
#include <mutex>
#include <vector>

#include "net/self/local_window.hpp"

namespace stretto::net::self {
namespace {

struct queued_message {
  handler_number handler;
  std::vector<std::byte> head, copied;
  std::span<const std::byte> payload;
  places::completion* sent;

  std::uint64_t copied_bytes() const noexcept { return head.size() + copied.size(); }
};

class self_transport final : public transport {
 public:
  explicit self_transport(const handlers& all) : transport(all) {}

  node_number self() const noexcept override { return 0; }
  std::uint32_t nodes() const noexcept override { return 1; }

  std::size_t poll() override {
    {
      std::scoped_lock lock(lock_);
      taken_.swap(queue_);
      count_.received += taken_.size();
    }
    std::size_t ended = 0;
    for (queued_message& m : taken_) {
      handle(0, m.handler, m.head, payload(m.payload));
      if (m.sent) end(*m.sent);
      outstanding_bytes_.fetch_sub(m.copied_bytes(), std::memory_order_relaxed);
      ended += 1 + (m.sent != nullptr);
    }
    taken_.clear();
    return ended;
  }
  bool is_pending() const noexcept override {
    std::scoped_lock lock(lock_);
    return !queue_.empty();
  }
  std::uint64_t outstanding_bytes() const noexcept override {
    return outstanding_bytes_.load(std::memory_order_relaxed);
  }
  traffic counted() const noexcept override {
    std::scoped_lock lock(lock_);
    return count_;
  }
  window& open_window(std::uint64_t bytes) override { return *(window_ = std::make_unique<local_window>(bytes)); }

 protected:
  void send_checked(const message& m) override {
    queued_message queued{m.handler, {m.head.begin(), m.head.end()}, {}, m.payload, m.sent};
    if (!m.sent) {
      queued.copied.assign(m.payload.begin(), m.payload.end());
      queued.payload = queued.copied;
    }
    outstanding_bytes_.fetch_add(queued.copied_bytes(), std::memory_order_relaxed);
    std::scoped_lock lock(lock_);
    queue_.push_back(std::move(queued));
    ++count_.sent;
    count_.bytes_sent += m.head.size() + m.payload.size();
  }

 private:
  mutable std::mutex lock_;
  std::vector<queued_message> queue_, taken_;
  traffic count_;
  std::atomic<std::uint64_t> outstanding_bytes_{0};
  std::unique_ptr<local_window> window_;
};

}  // namespace

std::unique_ptr<transport> make(handlers& all) {
  all.close();
  return std::make_unique<self_transport>(all);
}

}  // namespace stretto::net::self
