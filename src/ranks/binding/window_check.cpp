#include "ranks/binding/window_check.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <stretto/error.hpp>

#include "ranks/binding/described_call.hpp"
#include "ranks/datatypes/layout_cursor.hpp"
#include "ranks/process/usage_report.hpp"

namespace stretto::ranks::usage_check {
namespace {

struct byte_run {
  const std::byte* first;
  const std::byte* end;
};

struct window_access {
  access_kind kind;
  int target;
  std::vector<byte_run> runs;  // of the target's memory
  described_call site;
};

/// The call by which the first rank began a fence.
struct begun_fence {
  int assertions;
  described_call site;
};

/// A window, and what the ranks of this process do with it. A rank that has begun fence n is in epoch n.
struct checked_window {
  std::map<int, int> epochs;                           // by rank
  std::map<int, std::vector<window_access>> accesses;  // by epoch
  std::map<int, begun_fence> fences;                   // by number
};

struct all_windows {
  std::mutex mutex;
  std::map<const communicator_members*, checked_window> all;
};

all_windows& shared_windows() {
  static auto* const state = new all_windows;  // ranks may outlive static objects
  return *state;
}

bool is_accumulate(access_kind kind) { return kind != access_kind::put && kind != access_kind::get; }

/// MPI orders accumulates to the same place, and reads change nothing.
bool may_conflict(access_kind a, access_kind b) {
  if (a == access_kind::get && b == access_kind::get) return false;
  return !is_accumulate(a) || !is_accumulate(b);
}

/// The first byte that both touch, of the first runs that overlap; null if none do.
const std::byte* common_byte(const window_access& one, const window_access& other) {
  for (const byte_run& a : one.runs)
    for (const byte_run& b : other.runs)
      if (a.first < b.end && b.first < a.end) return std::max(a.first, b.first);
  return nullptr;
}

std::vector<byte_run> runs_of(const target_place& place, const fixed_memory& memory) {
  constexpr std::size_t most_runs = 1024;  // what is beyond is not compared
  std::vector<byte_run> runs;
  layout_cursor at(place.type->layout(), memory.base + place.displacement * memory.unit, place.count);
  while (at.left() > 0 && runs.size() < most_runs) {
    const std::int64_t bytes = std::min(at.run_left(), at.left());
    runs.push_back({at.address(), at.address() + bytes});
    at.advance(bytes);
  }
  return runs;
}

void report_conflict(const window_access& one, const window_access& other, std::int64_t at) {
  report_usage(
      error("R17", "two accesses to a window conflict")
          .fact("one", one.site.text())
          .fact("other", other.site.text())
          .fact("memory", "rank " + std::to_string(one.target) + " of the window, at byte " + std::to_string(at))
          .because("no fence is between them, and at least one of them writes")
          .remedy("call MPI_Win_fence between the two, or combine with MPI_Accumulate"));
}

/// How two fences differ; empty if they do not.
std::string fence_difference(int first, int second) {
  const std::pair<int, const char*> names[] = {{MPI_MODE_NOPRECEDE, "MPI_MODE_NOPRECEDE"},
                                               {MPI_MODE_NOSUCCEED, "MPI_MODE_NOSUCCEED"}};
  for (const auto& [bit, name] : names)
    if ((first ^ second) & bit) return std::string("only one of them gives ") + name;
  return {};
}

}  // namespace

void accesses(rank_window& of, int target, const window_operation& operation) {
  const fixed_memory* const memory = of.target(target).shared_memory();
  if (!innermost_call || !memory || !memory->base || !of.epochs.is_in_epoch_of_fence()) return;
  window_access made{operation.kind, target, runs_of(operation.target, *memory), innermost_description()};
  const std::scoped_lock lock(shared_windows().mutex);
  checked_window& window = shared_windows().all[of.comm().shared_members().get()];
  auto& others = window.accesses[window.epochs[of.rank()]];
  for (const window_access& other : others) {
    if (other.target != target || !may_conflict(other.kind, made.kind)) continue;
    if (const std::byte* const at = common_byte(made, other)) report_conflict(other, made, at - memory->base);
  }
  others.push_back(std::move(made));
}

void begins_fence(rank_window& of, int assertions) {
  if (!innermost_call) return;
  described_call site = innermost_description();
  const std::scoped_lock lock(shared_windows().mutex);
  checked_window& window = shared_windows().all[of.comm().shared_members().get()];
  const int number = ++window.epochs[of.rank()];
  // All ranks have begun the fence before this one: nobody is in an earlier epoch than the one that it began.
  window.accesses.erase(window.accesses.begin(), window.accesses.lower_bound(number - 1));
  window.fences.erase(window.fences.begin(), window.fences.lower_bound(number));
  const auto [place, is_first] = window.fences.try_emplace(number, begun_fence{assertions, site});
  const std::string how = is_first ? "" : fence_difference(place->second.assertions, assertions);
  if (how.empty()) return;
  report_usage(error("R18", "the ranks of a window disagree about a fence")
                   .fact("one", place->second.site.text())
                   .fact("other", site.text())
                   .because(how)
                   .remedy("give MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED on all ranks or on none"));
}

}  // namespace stretto::ranks::usage_check
