#include "data/reduction_record.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>

#include "data/layout.hpp"

namespace stretto::detail {

namespace {
constexpr std::uint64_t first_chunk_bytes = 4 << 10;
constexpr std::uint64_t largest_chunk_bytes = 256 << 10;

/// The elements that part `part` of `parts` sweeps. Cuts the slowest axis longer than one, so that positions in the box
/// are contiguous, and arrays and logs are cut alike.
box part_of_box(const box& whole, unsigned part, unsigned parts) {
  int axis = 0;
  while (axis < 2 && whole.length(axis) == 1) ++axis;
  point min = whole.min(), max = whole.max();
  const coordinate n = whole.length(axis);
  min[axis] = whole.min()[axis] + n * static_cast<coordinate>(part) / static_cast<coordinate>(parts);
  max[axis] = whole.min()[axis] + n * (static_cast<coordinate>(part) + 1) / static_cast<coordinate>(parts);
  return box::between(min, max);
}

std::uint64_t position_of(const box& whole, const point& p) {
  const auto at = [&](int axis) { return static_cast<std::uint64_t>(p[axis] - whole.min()[axis]); };
  const auto n = [&](int axis) { return static_cast<std::uint64_t>(whole.length(axis)); };
  return (at(0) * n(1) + at(1)) * n(2) + at(2);
}
}  // namespace

reduction_record::reduction_record(data::memory_space& space, const box& b, const reduction_kind& k,
                                   reduction_style style)
    : kind(k), elements(b), space_(space), style_(style) {}

data::block* reduction_record::take(std::uint64_t bytes, std::uint64_t at_least) {
  for (;; bytes = std::max(at_least, bytes / 2)) {
    if (data::block* b = space_.try_create(bytes)) {
      held_bytes_.fetch_add(b->bytes, std::memory_order_relaxed);
      return b;
    }
    if (bytes > at_least) continue;
    const memory_usage now = space_.usage();
    throw error("D16", "memory \"" + space_.name() + "\" has no space for more contributions to a reduction")
        .fact("box", elements.text())
        .fact("needed", std::to_string(at_least) + " bytes")
        .fact("free", std::to_string(now.free) + " bytes")
        .fact("largest", std::to_string(now.largest_block) + " bytes in one block")
        .remedy("reduce and clear earlier, or use reduction_style::shared_fold");
  }
}

log_target reduction_record::whole(std::byte* array) const noexcept {
  return {array, data::dense_layout(elements, 3, kind.rhs_bytes), elements, true, 0, elements.volume()};
}

std::byte* reduction_record::new_array(contribution& share, base::thread_context&) {
  const std::uint64_t bytes = elements.volume() * kind.rhs_bytes;
  share.array = take(bytes, bytes);
  std::byte* array = address_of(*share.array);
  kind.set_identity(array, elements.volume());
  return array;
}

void reduction_record::free(data::block& b, base::thread_context& context) noexcept {
  held_bytes_.fetch_sub(b.bytes, std::memory_order_relaxed);
  if (data::creation* resolved = space_.destroy(&b, nullptr)) data::notify_resolved(resolved, context);
}

void reduction_record::give_back(contribution& share, base::thread_context& context) noexcept {
  for (const log_chunk& chunk : share.log) free(*chunk.held, context);
  share.log.clear();
  share.logged = 0;
  if (share.array) free(*std::exchange(share.array, nullptr), context);
}

std::byte* reduction_record::shared_array(base::thread_context& context) {
  std::scoped_lock lock(mutex_);
  return all_.array ? address_of(*all_.array) : new_array(all_, context);
}

bool reduction_record::open(std::uint32_t number, open_contribution& c, base::thread_context& context, bool alone) {
  c = {};
  if (style_ == reduction_style::shared_fold && number == any_contributor && !alone) {
    c.share = &all_;
    c.is_shared = true;
    c.dense = shared_array(context);
    return true;
  }
  std::scoped_lock lock(mutex_);
  if (number == any_contributor) {
    // Starts at an index that depends on the thread: it finds the share that it used last, which is still in its cache.
    const std::size_t n = shares_.size();
    for (std::size_t i = 0; i < n && number == any_contributor; ++i)
      if (const std::size_t at = (context.index + i) % n; !shares_[at] || !shares_[at]->is_open)
        number = static_cast<std::uint32_t>(at);
    if (number == any_contributor) number = static_cast<std::uint32_t>(n);
  }
  if (shares_.size() <= number) shares_.resize(number + 1);
  if (!shares_[number]) shares_[number] = std::make_unique<contribution>();
  contribution& share = *shares_[number];
  if (share.is_open) return false;
  if (share.array) c.dense = address_of(*share.array);
  else if (style_ == reduction_style::fold || style_ == reduction_style::shared_fold)
    c.dense = new_array(share, context);
  else if (!share.log.empty()) {
    log_chunk& last = share.log.back();
    c.next = address_of(*last.held) + last.entries * kind.entry_bytes;
    c.end = address_of(*last.held) + last.capacity * kind.entry_bytes;
  }
  share.is_open = true;
  c.share = &share;
  return true;
}

void reduction_record::close(open_contribution& c) noexcept {
  if (c.is_shared) return;
  if (!c.dense && !c.share->log.empty()) {
    log_chunk& last = c.share->log.back();
    last.entries = static_cast<std::uint64_t>(c.next - address_of(*last.held)) / kind.entry_bytes;
  }
  std::scoped_lock lock(mutex_);
  c.share->is_open = false;
}

void reduction_record::refill(open_contribution& c, base::thread_context& context) {
  contribution& share = *c.share;
  std::uint64_t capacity = first_chunk_bytes;
  if (!share.log.empty()) {
    log_chunk& last = share.log.back();
    last.entries = last.capacity;
    share.logged += last.entries;
    capacity = std::min(largest_chunk_bytes, 2 * last.capacity * kind.entry_bytes);
  }
  if (style_ == reduction_style::automatic && share.logged * elements_per_entry >= elements.volume() && share.logged) {
    become_array(share, context);
    c.dense = address_of(*share.array);
    return;
  }
  data::block* held = take(std::max<std::uint64_t>(capacity, kind.entry_bytes), kind.entry_bytes);
  const std::uint64_t entries = std::min(capacity, held->bytes) / kind.entry_bytes;
  share.log.push_back({held, 0, std::max<std::uint64_t>(entries, 1)});
  c.next = address_of(*held);
  c.end = c.next + share.log.back().capacity * kind.entry_bytes;
}

void reduction_record::become_array(contribution& share, base::thread_context& context) {
  const auto log = std::move(share.log);
  share.log.clear();
  std::byte* array = nullptr;
  try {
    array = new_array(share, context);
  } catch (...) {
    share.log = log;
    throw;
  }
  const log_target target = whole(array);
  for (const log_chunk& chunk : log) {
    kind.fold_log(target, address_of(*chunk.held), chunk.entries);
    free(*chunk.held, context);
  }
  share.logged = 0;
}

void reduction_record::clear(base::thread_context& context) noexcept {
  std::scoped_lock lock(mutex_);
  give_back(all_, context);
  for (const auto& share : shares_)
    if (share) give_back(*share, context);
}

void reduction_record::apply_to(const data::operand& to, unsigned part, unsigned parts) const {
  const box mine = part_of_box(elements, part, parts);
  if (mine.is_empty()) return;
  const point last = mine.max() - point(1, 1, 1);
  const data::layout dense = data::dense_layout(elements, 3, kind.rhs_bytes);
  log_target target{
      to.first, to.shape, elements, false, position_of(elements, mine.min()), position_of(elements, last) + 1};
  target.is_linear = to.shape.box == elements;
  const point linear = data::dense_layout(elements, 3, kind.lhs_bytes).stride;
  for (int a = 0; a < 3; ++a)
    target.is_linear = target.is_linear && (elements.length(a) == 1 || linear[a] == to.shape.stride[a]);
  const auto apply = [&](const contribution& share) {
    if (share.array) {
      const data::operand array{address_of(*share.array), dense};
      data::for_each_run(data::plan(mine, std::array{to, array}),
                         [&](const auto& at, std::uint64_t count, const auto& step) {
                           kind.apply(at[0], step[0], at[1], step[1], count);
                         });
    }
    for (const log_chunk& chunk : share.log) kind.apply_log(target, address_of(*chunk.held), chunk.entries);
  };
  apply(all_);
  for (const auto& share : shares_)
    if (share) apply(*share);
}

void reduction_record::fold_array(open_contribution& c, const std::byte* array, base::thread_context& context) {
  if (!c.dense) {
    if (!c.share->log.empty()) {
      log_chunk& last = c.share->log.back();
      last.entries = static_cast<std::uint64_t>(c.next - address_of(*last.held)) / kind.entry_bytes;
    }
    become_array(*c.share, context);
    c.dense = address_of(*c.share->array);
  }
  kind.fold(c.dense, kind.rhs_bytes, array, kind.rhs_bytes, elements.volume());
}

void reduction_record::fold_to(reduction_record& to, open_contribution& c, base::thread_context& context) const {
  const auto append = [&](const std::byte* entries, std::uint64_t count) {
    while (count > 0) {
      if (c.dense) return kind.fold_log(to.whole(c.dense), entries, count);
      if (c.next == c.end) {
        to.refill(c, context);
        continue;
      }
      const std::uint64_t n = std::min(count, static_cast<std::uint64_t>(c.end - c.next) / kind.entry_bytes);
      std::memcpy(c.next, entries, n * kind.entry_bytes);
      c.next += n * kind.entry_bytes;
      entries += n * kind.entry_bytes;
      count -= n;
    }
  };
  const auto fold = [&](const contribution& share) {
    if (share.array) to.fold_array(c, address_of(*share.array), context);
    for (const log_chunk& chunk : share.log) append(address_of(*chunk.held), chunk.entries);
  };
  fold(all_);
  for (const auto& share : shares_)
    if (share) fold(*share);
}

}  // namespace stretto::detail
