#include "data/happens_before.hpp"

#include <algorithm>
#include <bit>

namespace stretto::data {

happens_before::happens_before(limits l)
    : nodes_(std::bit_ceil(l.most_nodes)),
      clock_capacity_(std::max(l.clock_capacity, 4 * l.most_chains)),  // room for the longest clock
      clocks_(std::make_unique_for_overwrite<std::uint64_t[]>(clock_capacity_)),
      most_chains_(std::min<std::size_t>(l.most_chains, 65535)),
      place_by_chain_(most_chains_),
      has_chain_(most_chains_ / 64 + 1) {
  chains_.reserve(64);
}

happens_before::node_id happens_before::make() {
  const node_id id = ++last_;
  node& n = nodes_[id & (nodes_.size() - 1)];
  if (n.event)
    if (const auto old = names_.find(n.event); old != names_.end() && old->second == n.id) names_.erase(old);
  n.id = id;
  n.has_clock = n.is_visited = n.after_unknown = false;
  n.predecessor_count = 0;
  n.further_predecessors.clear();
  n.ends_task = nullptr;
  n.knows_all_until = n.event = 0;
  return id;
}

void happens_before::follow(node_id n, node_id earlier) {
  node* const later = find(n);
  if (!later || !earlier) return;
  if (later->predecessor_count < later->predecessors.size()) later->predecessors[later->predecessor_count++] = earlier;
  else later->further_predecessors.push_back(earlier);
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

void happens_before::add_to_clock(std::uint64_t place) noexcept {
  const std::size_t c = place >> place_bits;
  std::uint64_t& word = has_chain_[c / 64];
  const std::uint64_t bit = std::uint64_t{1} << (c % 64);
  if (!(word & bit)) {
    word |= bit;
    place_by_chain_[c] = place;
  } else if (place_by_chain_[c] < place) {
    place_by_chain_[c] = place;
  }
}

void happens_before::clear_clock() noexcept {
  std::fill_n(has_chain_.begin(), chains_.size() / 64 + 1, 0);
  knows_all_until_ = horizon_;
  current_ = {};
}

void happens_before::join(node_id id) noexcept {
  if (!id) return;
  const node* const n = find(id);
  // If the node was dropped, any operation so far may be its predecessor. If only its clock was overwritten, any
  // operation up to the time of the clock may be.
  if (!n || !n->has_clock) {
    knows_all_until_ = begun_operations_;
    return;
  }
  knows_all_until_ = std::max(knows_all_until_, n->knows_all_until);
  if (!n->clock_length) return;
  if (entries_written_ - n->clock_at > clock_capacity_) {
    knows_all_until_ = std::max(knows_all_until_, n->clock_time);
    return;
  }
  add_to_clock({&clocks_[n->clock_at % clock_capacity_], n->clock_length});
}

void happens_before::join(const wait_history& s) noexcept {
  knows_all_until_ = std::max(knows_all_until_, s.after_unknown ? begun_operations_ : s.knows_all_until);
  add_to_clock(s.clock);
  for (const node_id n : s.pending) join(n);
}

template <class Body>
void happens_before::for_each_predecessor(const node& n, Body&& body) {
  for (unsigned i = 0; i < n.predecessor_count; ++i) body(n.predecessors[i]);
  for (const node_id one : n.further_predecessors) body(one);
  if (n.ends_task)
    for (const node_id one : n.ends_task->pending) body(one);
}

void happens_before::join_predecessors(const node& n) noexcept {
  if (n.after_unknown) knows_all_until_ = begun_operations_;
  for (unsigned i = 0; i < n.predecessor_count; ++i) join(n.predecessors[i]);
  for (const node_id one : n.further_predecessors) join(one);
  if (n.ends_task) join(*n.ends_task);
}

void happens_before::push_without_clock(node_id id) {
  if (const node* const n = find(id); n && !n->has_clock && !n->is_visited) stack_.push_back(id);
}

// A depth-first search with an explicit stack: the depth of merges is only limited by the length of the program.
void happens_before::compute_clock(node_id id) {
  const std::size_t bottom = stack_.size();
  push_without_clock(id);
  while (stack_.size() > bottom) {
    node* const n = find(stack_.back());
    if (!n || n->has_clock) {
      stack_.pop_back();
      continue;
    }
    if (!n->is_visited) {
      n->is_visited = true;
      const std::size_t before = stack_.size();
      for_each_predecessor(*n, [&](node_id one) { push_without_clock(one); });
      if (stack_.size() > before) continue;
    }
    stack_.pop_back();
    clear_clock();
    join_predecessors(*n);
    store_clock(*n);
  }
}

void happens_before::compute_pending_clocks(const std::vector<node_id>& all) {
  for (const node_id n : all) compute_clock(n);
}

void happens_before::compute_clock(wait_history& s) {
  if (s.pending.empty() && !s.after_unknown) return;
  compute_pending_clocks(s.pending);
  clear_clock();
  join(s);
  s.pending.clear();
  s.after_unknown = false;
  s.knows_all_until = knows_all_until_;
  s.clock.clear();
  for_each_place([&](std::uint64_t place) { s.clock.push_back(place); });
}

template <class Body>
void happens_before::for_each_place(Body&& body) const {
  for (std::size_t w = 0; w <= chains_.size() / 64; ++w)
    for (std::uint64_t left = has_chain_[w]; left; left &= left - 1) {
      const std::size_t c = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
      if (c < chains_.size() && chains_[c].time > knows_all_until_) body(place_by_chain_[c]);
    }
}

void happens_before::store_clock(node& n) {
  // A clock is contiguous: skip the rest of the ring if it is too short.
  if (clock_capacity_ - entries_written_ % clock_capacity_ < chains_.size() + 1)
    entries_written_ += clock_capacity_ - entries_written_ % clock_capacity_;
  std::uint64_t* const begin = &clocks_[entries_written_ % clock_capacity_];
  std::uint64_t* end = begin;
  for_each_place([&](std::uint64_t place) { *end++ = place; });
  n.clock_at = entries_written_;
  n.clock_length = static_cast<std::uint32_t>(end - begin);
  entries_written_ += n.clock_length;
  n.knows_all_until = knows_all_until_;
  n.clock_time = begun_operations_;
  n.has_clock = true;
  n.ends_task = nullptr;
  std::vector<node_id>().swap(n.further_predecessors);
}

void happens_before::wait(wait_history& s, node_id earlier) {
  if (!earlier) return;
  compute_clock(s);
  compute_clock(earlier);
  clear_clock();
  join(s);
  join(earlier);
  s.state = 0;
  s.knows_all_until = knows_all_until_;
  s.clock.clear();
  for_each_place([&](std::uint64_t place) { s.clock.push_back(place); });
}

void happens_before::wait_for_all(wait_history& s) {
  s.pending.clear();
  s.clock.clear();
  s.after_unknown = false;
  s.knows_all_until = begun_operations_;
  s.state = 0;
}

happens_before::node_id happens_before::state_of(wait_history& s) {
  compute_clock(s);
  if (s.clock.empty() && s.knows_all_until <= horizon_) return 0;
  const node* const old = find(s.state);
  // Make a new node if the old one, or its clock, will soon be overwritten.
  if (old && last_ - s.state < nodes_.size() / 2 && entries_written_ - old->clock_at < clock_capacity_ / 2)
    return s.state;
  s.state = make();
  clear_clock();
  join(s);
  store_clock(*find(s.state));
  return s.state;
}

happens_before::node_id happens_before::end_of(wait_history& s) {
  const node* const old = find(s.end);
  if (old && old->ends_task == &s) return s.end;
  s.end = make();
  find(s.end)->ends_task = &s;
  return s.end;
}

void happens_before::restart(wait_history& s) {
  if (const node* const end = find(s.end); end && end->ends_task == &s) compute_clock(s.end);
  s.pending.clear();
  s.clock.clear();
  s.after_unknown = false;
  s.knows_all_until = 0;
  s.state = s.end = 0;
}

// Returns a chain whose last operation is a predecessor or was dropped, else a new chain. At the limit of chains, drops
// the older half of their last operations.
std::size_t happens_before::chain_to_extend() {
  for (std::size_t w = 0; w <= chains_.size() / 64; ++w)
    for (std::uint64_t left = has_chain_[w]; left; left &= left - 1) {
      const std::size_t c = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
      if (c < chains_.size() && place_by_chain_[c] == chains_[c].tail) return c;
    }
  const auto probe = [&](std::size_t tries) {
    for (; tries && !chains_.empty(); --tries) {
      next_probe_ = next_probe_ + 1 < chains_.size() ? next_probe_ + 1 : 0;
      if (chains_[next_probe_].time <= knows_all_until_) return next_probe_;
    }
    return most_chains_;
  };
  if (const std::size_t c = probe(4); c != most_chains_) return c;
  if (chains_.size() < most_chains_) {
    chains_.push_back({std::uint64_t{chains_.size()} << place_bits, 0});
    has_chain_[(chains_.size() - 1) / 64] &= ~(std::uint64_t{1} << ((chains_.size() - 1) % 64));
    if (chains_.size() % 64 == 0) has_chain_[chains_.size() / 64] = 0;
    return chains_.size() - 1;
  }
  std::vector<std::uint64_t> times;
  for (const chain& c : chains_) times.push_back(c.time);
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  horizon_ = std::max(horizon_, times[times.size() / 2]);
  knows_all_until_ = std::max(knows_all_until_, horizon_);
  return probe(chains_.size());
}

bool happens_before::begin(node_id id) {
  node* const n = find(id);
  if (!n) return false;
  // If the node has a clock, an operation that follows it was queried before. Its predecessors have not changed.
  if (!n->has_clock) {
    n->is_visited = true;
    const std::size_t bottom = stack_.size();
    for_each_predecessor(*n, [&](node_id one) { push_without_clock(one); });
    while (stack_.size() > bottom) {
      const node_id one = stack_.back();
      stack_.pop_back();
      compute_clock(one);
    }
    clear_clock();
    join_predecessors(*n);
  } else {
    clear_clock();
    join(id);
  }
  const std::size_t c = chain_to_extend();
  const std::uint64_t place = ++chains_[c].tail;
  chains_[c].time = ++begun_operations_;
  has_chain_[c / 64] |= std::uint64_t{1} << (c % 64);
  place_by_chain_[c] = place;
  store_clock(*n);
  current_ = {place, begun_operations_};
  return true;
}

}  // namespace stretto::data
