#include "mobile/reply_batcher.hpp"

#include <algorithm>
#include <utility>

namespace stretto::mobiles {
namespace {

constexpr double soon_nanoseconds = 2000;
constexpr std::uint32_t min_quick_replies = 4;

}  // namespace

void reply_batcher::start(bool always_batch) {
  trace::clock::start();
  soon_ticks_ = static_cast<trace::ticks>(soon_nanoseconds / trace::clock::to_nanoseconds(1));
  always_batches_ = always_batch;
  peers_ = std::make_unique<peer[]>(job_.nodes());
  nodes_to_flush_.reserve(job_.nodes());
}

reply_batcher::add_result reply_batcher::add(dist::rank to, std::uint64_t request, batch& taken) noexcept {
  peer& p = peers_[to];
  const std::scoped_lock lock(p.lock);
  if (!always_batches_) {
    const trace::ticks now = trace::clock::now();
    p.quick_in_a_row = now - p.last_reply_ticks < soon_ticks_ ? p.quick_in_a_row + 1 : 0;
    p.last_reply_ticks = now;
    if (!p.open.count && p.quick_in_a_row < min_quick_replies) return add_result::send_now;
  }
  p.open.requests[p.open.count++] = request;
  if (p.open.count > 1) {
    if (p.open.count < max_replies && (always_batches_ || p.quick_in_a_row)) return add_result::joined_batch;
    take_batch(p, taken);
    return add_result::filled_batch;
  }
  job_.begin_incoming();
  open_batches_.fetch_add(1, std::memory_order_release);
  if (!std::exchange(p.is_listed, true)) {
    const std::scoped_lock both(nodes_lock_);
    nodes_to_flush_.push_back(to);
  }
  return add_result::opened_batch;
}

std::size_t reply_batcher::listed_nodes() noexcept {
  const std::scoped_lock lock(nodes_lock_);
  return nodes_to_flush_.size();
}

bool reply_batcher::next_listed(dist::rank& to) noexcept {
  {
    const std::scoped_lock lock(nodes_lock_);
    if (nodes_to_flush_.empty()) return false;
    to = nodes_to_flush_.front();
    nodes_to_flush_.erase(nodes_to_flush_.begin());
  }
  const std::scoped_lock lock(peers_[to].lock);
  peers_[to].is_listed = false;  // the next reply lists the node again
  return true;
}

reply_batcher::batch reply_batcher::take_batch(dist::rank to) noexcept {
  peer& p = peers_[to];
  const std::scoped_lock lock(p.lock);
  batch taken;
  take_batch(p, taken);
  return taken;
}

void reply_batcher::take_batch(peer& p, batch& to) noexcept {
  if (!p.open.count) return;
  std::copy_n(p.open.requests.begin(), p.open.count, to.requests.begin());
  to.count = std::exchange(p.open.count, 0);
  open_batches_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace stretto::mobiles
