#include "mobile/short_answers.hpp"

#include <algorithm>
#include <utility>

namespace stretto::mobiles {
namespace {

constexpr double soon_nanoseconds = 2000;
constexpr std::uint32_t few = 4;

}  // namespace

void short_answers::serve(bool wait_always) {
  trace::clock::start();
  soon_ = static_cast<trace::ticks>(soon_nanoseconds / trace::clock::to_nanoseconds(1));
  waits_always_ = wait_always;
  peers_ = std::make_unique<peer[]>(job_.nodes());
  marked_.reserve(job_.nodes());
}

short_answers::added short_answers::add(dist::rank to, std::uint64_t request, batch& taken) noexcept {
  peer& p = peers_[to];
  const std::scoped_lock lock(p.lock);
  if (!waits_always_) {
    const trace::ticks now = trace::clock::now();
    p.soon = now - p.last < soon_ ? p.soon + 1 : 0;
    p.last = now;
    if (!p.waits.count && p.soon < few) return added::not_at_all;
  }
  p.waits.requests[p.waits.count++] = request;
  if (p.waits.count > 1) {
    if (p.waits.count < most && (waits_always_ || p.soon)) return added::another;
    take(p, taken);
    return added::last;
  }
  job_.begin_incoming();
  waiting_.fetch_add(1, std::memory_order_release);
  if (!std::exchange(p.is_marked, true)) {
    const std::scoped_lock both(marked_lock_);
    marked_.push_back(to);
  }
  return added::first;
}

std::size_t short_answers::marked() noexcept {
  const std::scoped_lock lock(marked_lock_);
  return marked_.size();
}

bool short_answers::next_marked(dist::rank& to) noexcept {
  {
    const std::scoped_lock lock(marked_lock_);
    if (marked_.empty()) return false;
    to = marked_.front();
    marked_.erase(marked_.begin());
  }
  const std::scoped_lock lock(peers_[to].lock);
  peers_[to].is_marked = false;  // what is added from now on marks it anew
  return true;
}

short_answers::batch short_answers::take(dist::rank to) noexcept {
  peer& p = peers_[to];
  const std::scoped_lock lock(p.lock);
  batch taken;
  take(p, taken);
  return taken;
}

void short_answers::take(peer& p, batch& to) noexcept {
  if (!p.waits.count) return;
  std::copy_n(p.waits.requests.begin(), p.waits.count, to.requests.begin());
  to.count = std::exchange(p.waits.count, 0);
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace stretto::mobiles
