#include "data/happens_before.hpp"

#include <algorithm>
#include <bit>

namespace stretto::data {

happens_before::happens_before(limits l)
    : nodes_(std::bit_ceil(l.most_nodes)),
      clock_capacity_(std::max(l.clock_capacity, 4 * l.most_chains)),  // room for the longest clock
      clocks_(std::make_unique_for_overwrite<std::uint64_t[]>(clock_capacity_)),
      most_chains_(std::min<std::size_t>(l.most_chains, 65535)),
      dense_(most_chains_),
      known_(most_chains_ / 64 + 1) {
  chains_.reserve(64);
}

happens_before::node_id happens_before::make() {
  const node_id id = ++last_;
  node& n = nodes_[id & (nodes_.size() - 1)];
  if (n.event)
    if (const auto old = names_.find(n.event); old != names_.end() && old->second == n.id) names_.erase(old);
  n.id = id;
  n.is_settled = n.is_open = n.after_unknown = false;
  n.direct = 0;
  n.more.clear();
  n.of = nullptr;
  n.all_until = n.event = 0;
  return id;
}

void happens_before::follow(node_id n, node_id earlier) {
  node* const later = find(n);
  if (!later || !earlier) return;
  if (later->direct < later->after.size()) later->after[later->direct++] = earlier;
  else later->more.push_back(earlier);
}

void happens_before::follow_unknown(node_id n) {
  if (node* const later = find(n)) later->after_unknown = true;
}

void happens_before::name(node_id n, std::uint64_t event) {
  node* const named = find(n);
  if (!named || !event) return;
  named->event = event;
  names_[event] = n;
}

void happens_before::put(std::uint64_t place) noexcept {
  const std::size_t c = place >> place_bits;
  std::uint64_t& word = known_[c / 64];
  const std::uint64_t bit = std::uint64_t{1} << (c % 64);
  if (!(word & bit)) {
    word |= bit;
    dense_[c] = place;
  } else if (dense_[c] < place) {
    dense_[c] = place;
  }
}

void happens_before::clear() noexcept {
  std::fill_n(known_.begin(), chains_.size() / 64 + 1, 0);
  all_until_ = horizon_;
  current_ = {};
}

void happens_before::join(node_id id) noexcept {
  if (!id) return;
  const node* const n = find(id);
  // A clock that was overwritten may have known all operations up to its settling. A node that was dropped may know all
  // up to now.
  if (!n || !n->is_settled) {
    all_until_ = now_;
    return;
  }
  all_until_ = std::max(all_until_, n->all_until);
  if (!n->clock_length) return;
  if (written_ - n->clock_at > clock_capacity_) {
    all_until_ = std::max(all_until_, n->settled_at);
    return;
  }
  put({&clocks_[n->clock_at % clock_capacity_], n->clock_length});
}

void happens_before::join(const wait_history& s) noexcept {
  all_until_ = std::max(all_until_, s.after_unknown ? now_ : s.all_until);
  put(s.clock);
  for (const node_id n : s.pending) join(n);
}

template <class Body>
void happens_before::for_each_before(const node& n, Body&& body) {
  for (unsigned i = 0; i < n.direct; ++i) body(n.after[i]);
  for (const node_id one : n.more) body(one);
  if (n.of)
    for (const node_id one : n.of->pending) body(one);
}

void happens_before::join_all_before(const node& n) noexcept {
  if (n.after_unknown) all_until_ = now_;
  for (unsigned i = 0; i < n.direct; ++i) join(n.after[i]);
  for (const node_id one : n.more) join(one);
  if (n.of) join(*n.of);
}

void happens_before::push(node_id id) {
  if (const node* const n = find(id); n && !n->is_settled && !n->is_open) stack_.push_back(id);
}

// Depth first with an explicit stack: merges may be nested as deep as the program is long.
void happens_before::settle(node_id id) {
  const std::size_t bottom = stack_.size();
  push(id);
  while (stack_.size() > bottom) {
    node* const n = find(stack_.back());
    if (!n || n->is_settled) {
      stack_.pop_back();
      continue;
    }
    if (!n->is_open) {
      n->is_open = true;
      const std::size_t before = stack_.size();
      for_each_before(*n, [&](node_id one) { push(one); });
      if (stack_.size() > before) continue;
    }
    stack_.pop_back();
    clear();
    join_all_before(*n);
    keep(*n);
  }
}

void happens_before::settle_pending(const std::vector<node_id>& all) {
  for (const node_id n : all) settle(n);
}

void happens_before::settle(wait_history& s) {
  if (s.pending.empty() && !s.after_unknown) return;
  settle_pending(s.pending);
  clear();
  join(s);
  s.pending.clear();
  s.after_unknown = false;
  s.all_until = all_until_;
  s.clock.clear();
  for_each_known([&](std::uint64_t place) { s.clock.push_back(place); });
}

template <class Body>
void happens_before::for_each_known(Body&& body) const {
  for (std::size_t w = 0; w <= chains_.size() / 64; ++w)
    for (std::uint64_t left = known_[w]; left; left &= left - 1) {
      const std::size_t c = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
      if (c < chains_.size() && chains_[c].time > all_until_) body(dense_[c]);
    }
}

void happens_before::keep(node& n) {
  // A clock is contiguous: the rest of the ring is skipped if it is too short.
  if (clock_capacity_ - written_ % clock_capacity_ < chains_.size() + 1)
    written_ += clock_capacity_ - written_ % clock_capacity_;
  std::uint64_t* const begin = &clocks_[written_ % clock_capacity_];
  std::uint64_t* end = begin;
  for_each_known([&](std::uint64_t place) { *end++ = place; });
  n.clock_at = written_;
  n.clock_length = static_cast<std::uint32_t>(end - begin);
  written_ += n.clock_length;
  n.all_until = all_until_;
  n.settled_at = now_;
  n.is_settled = true;
  n.of = nullptr;
  std::vector<node_id>().swap(n.more);
}

void happens_before::wait(wait_history& s, node_id earlier) {
  if (!earlier) return;
  settle(s);
  settle(earlier);
  clear();
  join(s);
  join(earlier);
  s.state = 0;
  s.all_until = all_until_;
  s.clock.clear();
  for_each_known([&](std::uint64_t place) { s.clock.push_back(place); });
}

void happens_before::wait_for_all(wait_history& s) {
  s.pending.clear();
  s.clock.clear();
  s.after_unknown = false;
  s.all_until = now_;
  s.state = 0;
}

happens_before::node_id happens_before::state_of(wait_history& s) {
  settle(s);
  if (s.clock.empty() && s.all_until <= horizon_) return 0;
  const node* const old = find(s.state);
  // A node that would soon be overwritten is made anew.
  if (old && last_ - s.state < nodes_.size() / 2 && written_ - old->clock_at < clock_capacity_ / 2) return s.state;
  s.state = make();
  clear();
  join(s);
  keep(*find(s.state));
  return s.state;
}

happens_before::node_id happens_before::end_of(wait_history& s) {
  const node* const old = find(s.end);
  if (old && old->of == &s) return s.end;
  s.end = make();
  find(s.end)->of = &s;
  return s.end;
}

void happens_before::restart(wait_history& s) {
  if (const node* const end = find(s.end); end && end->of == &s) settle(s.end);
  s.pending.clear();
  s.clock.clear();
  s.after_unknown = false;
  s.all_until = 0;
  s.state = s.end = 0;
}

// A chain of which the last operation is a predecessor, or was dropped; else a new one. At the limit, half of the
// chains are dropped.
std::size_t happens_before::chain_to_extend() {
  for (std::size_t w = 0; w <= chains_.size() / 64; ++w)
    for (std::uint64_t left = known_[w]; left; left &= left - 1) {
      const std::size_t c = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
      if (c < chains_.size() && dense_[c] == chains_[c].tail) return c;
    }
  const auto probe = [&](std::size_t tries) {
    for (; tries && !chains_.empty(); --tries) {
      next_probe_ = next_probe_ + 1 < chains_.size() ? next_probe_ + 1 : 0;
      if (chains_[next_probe_].time <= all_until_) return next_probe_;
    }
    return most_chains_;
  };
  if (const std::size_t c = probe(4); c != most_chains_) return c;
  if (chains_.size() < most_chains_) {
    chains_.push_back({std::uint64_t{chains_.size()} << place_bits, 0});
    known_[(chains_.size() - 1) / 64] &= ~(std::uint64_t{1} << ((chains_.size() - 1) % 64));
    if (chains_.size() % 64 == 0) known_[chains_.size() / 64] = 0;
    return chains_.size() - 1;
  }
  std::vector<std::uint64_t> times;
  for (const chain& c : chains_) times.push_back(c.time);
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  horizon_ = std::max(horizon_, times[times.size() / 2]);
  all_until_ = std::max(all_until_, horizon_);
  return probe(chains_.size());
}

bool happens_before::begin(node_id id) {
  node* const n = find(id);
  if (!n) return false;
  // An earlier query treated the node as skipped; its predecessors are the same.
  if (!n->is_settled) {
    n->is_open = true;
    const std::size_t bottom = stack_.size();
    for_each_before(*n, [&](node_id one) { push(one); });
    while (stack_.size() > bottom) {
      const node_id one = stack_.back();
      stack_.pop_back();
      settle(one);
    }
    clear();
    join_all_before(*n);
  } else {
    clear();
    join(id);
  }
  const std::size_t c = chain_to_extend();
  const std::uint64_t place = ++chains_[c].tail;
  chains_[c].time = ++now_;
  known_[c / 64] |= std::uint64_t{1} << (c % 64);
  dense_[c] = place;
  keep(*n);
  current_ = {place, now_};
  return true;
}

}  // namespace stretto::data
