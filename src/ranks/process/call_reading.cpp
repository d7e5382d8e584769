#include "ranks/process/call_reading.hpp"

namespace stretto::ranks {

constinit std::atomic<bool> call_reading::is_on_ = false;
constinit std::mutex call_reading::one_;

// A rank that this fence finds behind its own one has withdrawn its call: the reader sees that.
call_reading::call_reading() {
  is_on_.store(true, std::memory_order_relaxed);
  base::asymmetric::heavy();
}

call_reading::~call_reading() {
  is_on_.store(false, std::memory_order_release);
  is_on_.notify_all();
}

void call_reading::block() noexcept { is_on_.wait(true, std::memory_order_acquire); }

}  // namespace stretto::ranks
