#include "ranks/binding/window_access.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stretto/error.hpp>
#include <string>
#include <utility>

#include "ranks/datatypes/layout_cursor.hpp"
#include "ranks/process/usage_report.hpp"

namespace stretto::ranks::usage_check {
namespace {

enum kind_of_accesses : std::size_t { reads, writes, accumulates };

kind_of_accesses kind_of(const window_access& one) {
  if (one.kind == access_kind::get) return reads;
  return one.kind == access_kind::put ? writes : accumulates;
}

/// MPI orders accumulates to the same place, and reads change nothing.
bool may_conflict(std::size_t one, std::size_t other) { return one != other || one == writes; }

/// A lock keeps accesses of two ranks apart if one of them has it alone.
bool are_apart(const window_access& one, const window_access& other) {
  const bool is_exclusive = one.epoch == epoch_kind::exclusive_lock || other.epoch == epoch_kind::exclusive_lock;
  return one.target != other.target || (one.origin != other.origin && is_exclusive);
}

/// The first byte that both touch, of the first runs that overlap.
std::optional<std::int64_t> common_byte(const window_access& one, const window_access& other) {
  if (!one.bounds.overlaps(other.bounds)) return std::nullopt;
  for (const byte_run& a : one.runs)
    for (const byte_run& b : other.runs)
      if (a.overlaps(b)) return std::max(a.first, b.first);
  return std::nullopt;
}

/// The order that two accesses lack.
struct missing_order {
  const char* because;
  const char* remedy;
};

missing_order missing_in(epoch_kind epoch) {
  switch (epoch) {
    case epoch_kind::started:
      return {"both are in one epoch of MPI_Win_post, and at least one of them writes",
              "let the target call MPI_Win_wait and MPI_Win_post between the two, or combine with MPI_Accumulate"};
    case epoch_kind::shared_lock:
    case epoch_kind::exclusive_lock:
      return {"one begins before a flush or an unlock ends the other, and at least one of them writes",
              "call MPI_Win_flush between the two, lock with MPI_LOCK_EXCLUSIVE, or combine with MPI_Accumulate"};
    default:
      return {"no fence is between them, and at least one of them writes",
              "call MPI_Win_fence between the two, or combine with MPI_Accumulate"};
  }
}

void report_conflict(const window_access& one, const window_access& other, std::int64_t at) {
  const missing_order missing = missing_in(other.epoch);
  report_usage(
      error("R17", "two accesses to a window conflict")
          .fact("one", one.site.text())
          .fact("other", other.site.text())
          .fact("memory", "rank " + std::to_string(one.target) + " of the window, at byte " + std::to_string(at))
          .because(missing.because)
          .remedy(missing.remedy));
}

/// The beginning of a packed access; its runs follow, and then the text of its call.
struct packed_head {
  std::int32_t kind, origin, target, epoch, fetches, is_ended_by_wait, fence, unused = 0;
  std::int64_t runs;
};

constexpr std::size_t most_packed_text = 500;
constexpr std::size_t most_packed_runs =
    (window_target::most_description - most_packed_text - sizeof(packed_head)) / sizeof(byte_run);

byte_run bounds_of(const std::vector<byte_run>& runs) {
  byte_run bounds{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const byte_run& one : runs) bounds = {std::min(bounds.first, one.first), std::max(bounds.end, one.end)};
  return bounds;
}

}  // namespace

std::vector<std::byte> packed(const window_access& one) {
  const std::size_t runs = std::min(one.runs.size(), most_packed_runs);
  const std::string text = one.site.text().substr(0, most_packed_text);
  const packed_head head{static_cast<std::int32_t>(one.kind),
                         one.origin,
                         one.target,
                         static_cast<std::int32_t>(one.epoch),
                         one.fetches,
                         one.is_ended_by_wait,
                         one.fence,
                         0,
                         static_cast<std::int64_t>(runs)};
  std::vector<std::byte> bytes;
  const auto append = [&bytes](const void* from, std::size_t count) {
    const auto* const first = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), first, first + count);
  };
  append(&head, sizeof head);
  append(one.runs.data(), runs * sizeof(byte_run));
  append(text.data(), text.size());
  return bytes;
}

window_access unpacked(std::span<const std::byte> bytes) {
  packed_head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  window_access made;
  made.kind = static_cast<access_kind>(head.kind);
  made.origin = head.origin;
  made.target = head.target;
  made.epoch = static_cast<epoch_kind>(head.epoch);
  made.fetches = head.fetches != 0;
  made.is_ended_by_wait = head.is_ended_by_wait != 0;
  made.fence = head.fence;
  made.runs.resize(std::min(static_cast<std::size_t>(head.runs), most_packed_runs));
  const auto runs = bytes.subspan(sizeof head, made.runs.size() * sizeof(byte_run));
  std::ranges::copy(runs, reinterpret_cast<std::byte*>(made.runs.data()));
  made.bounds = bounds_of(made.runs);
  const auto text = bytes.subspan(sizeof head + runs.size());
  made.site.elsewhere.assign(reinterpret_cast<const char*>(text.data()), text.size());
  return made;
}

window_access described_access(const window_operation& operation, const fixed_memory& memory) {
  constexpr std::size_t most_runs = 1024;  // what is beyond is not compared
  window_access made;
  made.kind = operation.kind;
  made.fetches = operation.result.type != nullptr;
  made.site = innermost_description();
  const target_place& place = operation.target;
  auto* const first = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);  // no memory: only positions are used
  const std::int64_t start = place.displacement * memory.unit;
  layout_cursor at(place.type->layout(), first, place.count);
  while (at.left() > 0 && made.runs.size() < most_runs) {
    const std::int64_t bytes = std::min(at.run_left(), at.left()), position = start + (at.address() - first);
    made.runs.push_back({position, position + bytes});
    at.advance(bytes);
  }
  made.bounds = bounds_of(made.runs);
  return made;
}

void compared_accesses::compare(const window_access& made) const {
  for (std::size_t kind = 0; kind < by_kind_.size(); ++kind) {
    if (!may_conflict(kind, kind_of(made))) continue;
    for (const window_access& before : by_kind_[kind])
      if (!are_apart(before, made))
        if (const auto at = common_byte(made, before)) report_conflict(before, made, *at);
  }
}

void compared_accesses::add(window_access made, std::size_t most) {
  auto& others = by_kind_[kind_of(made)];
  if (others.size() == most) others.pop_front();
  others.push_back(std::move(made));
}

}  // namespace stretto::ranks::usage_check
