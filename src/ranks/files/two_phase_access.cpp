#include "ranks/files/two_phase_access.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "ranks/call_error.hpp"
#include "ranks/communicators/creation_exchange.hpp"
#include "ranks/datatypes/data_part.hpp"
#include "ranks/files/joined_runs.hpp"

namespace stretto::ranks {
namespace {

/// The data fills at least this part of the range between its ends: else there would be many rounds for little.
constexpr std::int64_t least_part = 16;
/// Of all ranks: messages between nodes take as long as some dozens of writes.
constexpr std::int64_t least_bytes = 64 << 10;

/// The part of the file that the ranks of a node write to.
struct node_range {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;  // offsets
  std::int64_t bytes = 0, in_short_runs = 0;

  void add(const access_extent& one) {
    first = std::min(first, one.first), last = std::max(last, one.last);
    bytes += one.bytes;
    in_short_runs += one.run_bytes <= access_extent::short_run ? one.bytes : 0;
  }
};

file_cursor cursor_of(const file_access& access, std::int64_t first, std::int64_t last) {
  return {*access.view, access.position + first, last - first};
}

std::vector<file_run> runs_in(file_cursor data) {
  std::vector<file_run> runs;
  while (data.left() > 0) runs.push_back(data.take(two_phase_access::window_bytes));
  return runs;
}

}  // namespace

access_extent extent_of(const file_access& access) {
  access_extent extent;
  extent.bytes = access.bytes();
  extent.offsets_grow = access.view->offsets_grow();
  if (extent.bytes == 0) return extent;
  extent.run_bytes = average_run(cursor_of(access, 0, extent.bytes), access_extent::short_run + 1);
  extent.first = access.view->byte_offset(access.position);
  extent.last = access.view->byte_offset(access.position + extent.bytes - 1) + 1;
  return extent;
}

bool has_interleaved_nodes(std::span<const access_extent> extents, std::span<const int> nodes) {
  std::map<int, node_range> of_nodes;
  node_range all;
  for (std::size_t rank = 0; rank < extents.size(); ++rank) {
    if (extents[rank].bytes == 0) continue;
    if (!extents[rank].offsets_grow) return false;
    of_nodes[nodes[rank]].add(extents[rank]);
    all.add(extents[rank]);
  }
  const bool is_worth_it =
      all.bytes >= least_bytes && all.in_short_runs > all.bytes / 2 && (all.last - all.first) / least_part <= all.bytes;
  if (!is_worth_it) return false;
  std::vector<node_range> ranges;
  for (const auto& [node, range] : of_nodes) ranges.push_back(range);
  std::ranges::sort(ranges, {}, &node_range::first);
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first < ranges[i - 1].last) return true;
  return false;
}

/// Runs of the file, and their data.
struct two_phase_access::packet {
  explicit packet(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    std::uint64_t count = 0;
    std::memcpy(&count, bytes.data(), sizeof count);
    runs = values_of<file_run>(bytes.subspan(sizeof count, count * sizeof(file_run)));
    data = bytes.subspan(sizeof count + count * sizeof(file_run));
  }

  std::vector<file_run> runs;
  std::span<const std::byte> data;
};

two_phase_access::two_phase_access(const file_access& own, std::span<const access_extent> extents,
                                   std::span<const int> nodes, data_exchange& ranks)
    : own_(own), ranks_(ranks) {
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    if (std::ranges::find(nodes, nodes[rank]) - nodes.begin() == std::ptrdiff_t(rank))
      owners_.push_back(static_cast<int>(rank));
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
  for (const access_extent& one : extents)
    if (one.bytes > 0) first = std::min(first, one.first), last = std::max(last, one.last);
  if (last == 0) return;
  first_window_ = first / window_bytes;
  const std::int64_t windows = (last - 1) / window_bytes - first_window_ + 1, owners = std::ssize(owners_);
  rounds_ = (windows + owners - 1) / owners;
}

two_phase_access::window two_phase_access::window_of(std::int64_t round, std::size_t owner) const {
  const std::int64_t number = first_window_ + round * std::ssize(owners_) + static_cast<std::int64_t>(owner);
  return {number * window_bytes, (number + 1) * window_bytes};
}

void two_phase_access::perform(const window_file& file) {
  const auto own_owner = std::ranges::find(owners_, ranks_.rank()) - owners_.begin();
  for (std::int64_t round = 0; round < rounds_; ++round) {
    std::vector<exchanged_data> to_each(static_cast<std::size_t>(ranks_.ranks()));
    for (std::size_t owner = 0; owner < owners_.size(); ++owner)
      to_each[static_cast<std::size_t>(owners_[owner])] = packet_for(window_of(round, owner));
    const std::vector<exchanged_data> received = ranks_.exchange(to_each);
    if (own_owner < std::ssize(owners_)) serve(window_of(round, static_cast<std::size_t>(own_owner)), received, file);
  }
  agree_on_failure();
}

/// The own data in the window, which begins behind all that the rank has sent.
exchanged_data two_phase_access::packet_for(const window& of) {
  const std::int64_t before = own_.bytes() == 0 ? 0 : own_.view->data_before(of.last) - own_.position;
  const std::int64_t first = std::exchange(taken_, std::clamp(before, taken_, own_.bytes()));
  if (first == taken_) return {};
  const std::vector<file_run> runs = runs_in(cursor_of(own_, first, taken_));
  const std::uint64_t count = runs.size();
  exchanged_data made = bytes_of(std::span(&count, 1));
  const auto listed = std::as_bytes(std::span(runs));
  made.insert(made.end(), listed.begin(), listed.end());
  const std::size_t head = made.size();
  const std::int64_t bytes = taken_ - first;
  made.resize(head + static_cast<std::size_t>(bytes));
  copy_part(data_part(made.data() + head, bytes), own_.memory.part(first, bytes));
  return made;
}

void two_phase_access::serve(const window& of, const std::vector<exchanged_data>& received, const window_file& file) {
  const std::vector<packet> packets(received.begin(), received.end());
  if (std::ranges::all_of(packets, [](const packet& one) { return one.runs.empty(); })) return;
  try {
    write_window(of, packets, file);
  } catch (const call_error& error) {
    failure_ = error.which();
  } catch (const std::bad_alloc&) {
    failure_ = error_class::no_memory;
  }
}

void two_phase_access::write_window(const window& of, std::span<const packet> packets, const window_file& file) {
  const auto block = std::make_unique_for_overwrite<std::byte[]>(window_bytes);
  std::vector<file_run> runs;
  for (const packet& one : packets) {
    const std::byte* from = one.data.data();
    for (const file_run& run : one.runs) {
      std::memcpy(block.get() + (run.offset - of.first), from, static_cast<std::size_t>(run.bytes));
      from += run.bytes;
    }
    runs.insert(runs.end(), one.runs.begin(), one.runs.end());
  }
  runs = joined_runs(std::move(runs), 0);
  file.run_blocking([&] {
    for (const file_run& run : runs) write_bytes(file.descriptor, block.get() + (run.offset - of.first), run);
  });
}

void two_phase_access::agree_on_failure() {
  const auto own = static_cast<std::int32_t>(failure_);
  for (const std::int32_t each : values_of<std::int32_t>(ranks_.gather(bytes_of(std::span(&own, 1))))) {
    const auto failure = static_cast<error_class>(each);
    if (failure != error_class::success)
      throw call_error(failure, "a collective write for all ranks: " + std::string(text_of(failure)));
  }
}

}  // namespace stretto::ranks
