// aggregation.cpp - cuts accesses at the borders of ranges, and joins their runs within one.
#include "ranks/files/aggregation.hpp"

#include <algorithm>
#include <limits>

#include "ranks/files/joined_runs.hpp"

namespace stretto::ranks {
namespace {

/// Windows end at multiples of it, as stripes of file systems do.
constexpr std::int64_t range_bytes = 4 << 20;
/// Of runs that are better transferred rank by rank.
constexpr std::int64_t separate_run = 64 << 10;
/// A gap up to this length between two runs is read as well.
constexpr std::int64_t readable_gap = 16 << 10;

bool has_long_runs(const file_access& access) {
  return average_run({*access.view, access.position, access.bytes()}, separate_run) == separate_run;
}

}  // namespace

aggregation::aggregation(int descriptor, std::vector<file_access> accesses)
    : descriptor_(descriptor), accesses_(std::move(accesses)), done_(accesses_.size()), taken_(accesses_.size()) {}

bool aggregation::is_useful(std::span<const file_access> accesses) {
  const auto has_data = [](const file_access& a) { return a.bytes() > 0; };
  if (std::count_if(accesses.begin(), accesses.end(), has_data) < 2) return false;
  const auto grows = [](const file_access& a) { return a.view->offsets_grow(); };
  return std::all_of(accesses.begin(), accesses.end(), grows) &&
         !std::all_of(accesses.begin(), accesses.end(), has_long_runs);
}

std::int64_t aggregation::total_bytes() const {
  std::int64_t bytes = 0;
  for (const file_access& access : accesses_) bytes += access.bytes();
  return bytes;
}

std::optional<aggregation::range> aggregation::take_range() {
  const std::scoped_lock lock(mutex_);
  range next;
  next.first = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const file_access& access = accesses_[i];
    if (taken_[i] < access.bytes())
      next.first = std::min(next.first, access.view->byte_offset(access.position + taken_[i]));
  }
  if (next.first == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  next.last = (next.first / range_bytes + 1) * range_bytes;
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const file_access& access = accesses_[i];
    const std::int64_t before = access.view->data_before(next.last) - access.position;
    const std::int64_t last = std::clamp(before, taken_[i], access.bytes());
    if (last > taken_[i]) next.pieces.push_back({i, taken_[i], last});
    taken_[i] = last;
  }
  return next;
}

file_cursor aggregation::cursor(const piece& p) const {
  const file_access& access = accesses_[p.access];
  return {*access.view, access.position + p.first, p.last - p.first};
}

std::vector<file_run> aggregation::runs_of(const range& r, std::int64_t largest_gap) const {
  std::vector<file_run> runs;
  for (const piece& p : r.pieces) {
    for (file_cursor at = cursor(p); at.left() > 0;) runs.push_back(at.take(range_bytes));
  }
  return joined_runs(std::move(runs), largest_gap);
}

bool aggregation::transfer(const range& r, disk_wait wait) {
  std::vector<std::byte> block(static_cast<std::size_t>(r.last - r.first));
  if (accesses_.front().direction == file_direction::read) return read(r, block, wait);
  write(r, block);
  return true;
}

void aggregation::write(const range& r, std::vector<std::byte>& block) {
  for (const piece& p : r.pieces) {
    file_cursor file = cursor(p);
    layout_cursor memory = accesses_[p.access].memory.cursor(p.first);
    copy_to_block(memory, file, block.data(), r.first, file.left());
  }
  for (const file_run& run : runs_of(r, 0)) write_bytes(descriptor_, block.data() + (run.offset - r.first), run);
  for (const piece& p : r.pieces) done_[p.access] += p.last - p.first;
}

bool aggregation::read(const range& r, std::vector<std::byte>& block, disk_wait wait) {
  std::int64_t end = r.last;
  for (const file_run& run : runs_of(r, readable_gap)) {
    std::int64_t done = 0;
    if (!read_bytes(descriptor_, block.data() + (run.offset - r.first), run, done, wait)) return false;
    if (done == run.bytes) continue;
    end = run.offset + done;  // of the file
    break;
  }
  for (const piece& p : r.pieces) {
    file_cursor file = cursor(p);
    layout_cursor memory = accesses_[p.access].memory.cursor(p.first);
    const std::int64_t bytes = bytes_before(cursor(p), end);
    copy_from_block(memory, file, block.data(), r.first, bytes);
    done_[p.access] += bytes;
  }
  return true;
}

}  // namespace stretto::ranks
