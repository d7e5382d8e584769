#include "graph/memory_map.hpp"

#include <algorithm>

namespace stretto::graph {
namespace {

constexpr std::size_t most_pieces = 256;  // if there are more, free pieces with different releases are joined, too

}  // namespace

memory_map::memory_map(const memory_bounds& b) : capacity_(b.bytes / b.grain * b.grain), grain_(b.grain) {
  if (capacity_) pieces_.push_back({0, capacity_, {}, 0});
}

std::uint64_t memory_map::taken_by(std::uint64_t bytes) const noexcept {
  if (bytes > capacity_) return bytes;  // more than the capacity, however it is rounded
  return bytes == 0 ? grain_ : (bytes + grain_ - 1) / grain_ * grain_;
}

std::optional<memory_map::hole> memory_map::find(std::uint64_t bytes, std::uint64_t applied,
                                                 std::span<const allocation_id> must_leave,
                                                 std::span<const allocation_id> evictable) const {
  bytes = taken_by(bytes);
  const auto names = [](std::span<const allocation_id> all, allocation_id a) {
    return std::ranges::find(all, a) != all.end();
  };
  std::vector<bool> open(pieces_.size());
  // The first piece of a run of open pieces that is long enough.
  const auto first_fit = [&]() -> std::optional<std::size_t> {
    std::uint64_t run = 0;
    for (std::size_t n = 0, from = 0; n < pieces_.size(); ++n) {
      if (!open[n]) {
        run = 0, from = n + 1;
        continue;
      }
      run += pieces_[n].bytes;
      if (run >= bytes) return from;
    }
    return {};
  };
  const auto leaving = [&](std::uint64_t offset) {
    hole h{offset, {must_leave.begin(), must_leave.end()}};
    for (const piece& p : pieces_)
      if (p.is.number && !names(must_leave, p.is) && p.offset < offset + bytes && offset < p.offset + p.bytes)
        h.evicted.push_back(p.is);
    return h;
  };
  for (std::size_t n = 0; n < pieces_.size(); ++n)
    open[n] = pieces_[n].is.number == 0 && pieces_[n].released <= applied;
  if (const auto from = first_fit()) return leaving(pieces_[*from].offset);
  for (std::size_t n = 0; n < pieces_.size(); ++n)
    open[n] = pieces_[n].is.number == 0 || names(must_leave, pieces_[n].is);
  if (const auto from = first_fit()) return leaving(pieces_[*from].offset);
  for (const allocation_id next : evictable) {
    const auto opened = std::ranges::find(pieces_, next, &piece::is);
    if (opened == pieces_.end()) continue;
    open[static_cast<std::size_t>(opened - pieces_.begin())] = true;
    if (!first_fit()) continue;
    // Within the run around it: the place with the fewest evictions; among equals the lowest.
    std::size_t first = static_cast<std::size_t>(opened - pieces_.begin()), last = first;
    while (first > 0 && open[first - 1]) --first;
    while (last + 1 < pieces_.size() && open[last + 1]) ++last;
    const std::uint64_t end = pieces_[last].offset + pieces_[last].bytes;
    std::optional<hole> best;
    for (std::size_t n = first; n <= last; ++n)
      // aligned to the begin, or to the end, of the piece
      for (const std::uint64_t offset : {pieces_[n].offset, pieces_[n].offset + pieces_[n].bytes - bytes}) {
        if (offset < pieces_[first].offset || offset > end || end - offset < bytes) continue;
        hole h = leaving(offset);
        if (!best || h.evicted.size() < best->evicted.size()) best = std::move(h);
      }
    return best;
  }
  return {};
}

void memory_map::take(allocation_id a, std::uint64_t offset, std::uint64_t bytes, dependencies& follows,
                      std::uint64_t applied) {
  bytes = taken_by(bytes);
  const std::uint64_t end = offset + bytes;
  std::vector<piece> all;
  all.reserve(pieces_.size() + 2);
  for (const piece& p : pieces_) {
    const std::uint64_t ends = p.offset + p.bytes;
    if (ends <= offset || p.offset >= end) {
      all.push_back(p);
      continue;
    }
    if (p.released) follows.push_back(std::max(p.released, applied));
    if (p.offset < offset) all.push_back({p.offset, offset - p.offset, {}, p.released});
    if (p.offset <= offset) all.push_back({offset, bytes, a, 0});
    if (ends > end) all.push_back({end, ends - end, {}, p.released});
  }
  pieces_ = std::move(all);
  used_ += bytes;
}

void memory_map::release(allocation_id a, std::uint64_t released, std::uint64_t applied) {
  piece& p = *std::ranges::find(pieces_, a, &piece::is);
  used_ -= p.bytes;
  p.is = {};
  p.released = released;
  join_free(applied);
}

void memory_map::join_free(std::uint64_t applied) {
  const bool are_many = pieces_.size() > most_pieces;
  std::size_t kept = 0;
  for (std::size_t n = 1; n < pieces_.size(); ++n) {
    piece& before = pieces_[kept];
    const piece& p = pieces_[n];
    const bool are_alike = before.released == p.released || (before.released <= applied && p.released <= applied);
    if (before.is.number == 0 && p.is.number == 0 && (are_many || are_alike)) {
      before.bytes += p.bytes;
      before.released = std::max(before.released, p.released);
    } else {
      pieces_[++kept] = p;
    }
  }
  if (!pieces_.empty()) pieces_.resize(kept + 1);
}

}  // namespace stretto::graph
