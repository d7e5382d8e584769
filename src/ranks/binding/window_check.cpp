#include "ranks/binding/window_check.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
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

/// An access that is open, in another epoch than that of a fence.
struct open_access {
  window_access access;
  int origin;
  epoch_kind epoch;
  bool fetches;
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
  std::deque<open_access> open;
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

/// Of memory on another node, positions are compared.
std::byte* base_of(const fixed_memory& memory) {
  return memory.base ? memory.base : reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
}

std::vector<byte_run> runs_of(const target_place& place, const fixed_memory& memory) {
  constexpr std::size_t most_runs = 1024;  // what is beyond is not compared
  std::vector<byte_run> runs;
  layout_cursor at(place.type->layout(), base_of(memory) + place.displacement * memory.unit, place.count);
  while (at.left() > 0 && runs.size() < most_runs) {
    const std::int64_t bytes = std::min(at.run_left(), at.left());
    runs.push_back({at.address(), at.address() + bytes});
    at.advance(bytes);
  }
  return runs;
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

void report_conflict(const window_access& one, const window_access& other, std::int64_t at, epoch_kind epoch) {
  const missing_order missing = missing_in(epoch);
  report_usage(
      error("R17", "two accesses to a window conflict")
          .fact("one", one.site.text())
          .fact("other", other.site.text())
          .fact("memory", "rank " + std::to_string(one.target) + " of the window, at byte " + std::to_string(at))
          .because(missing.because)
          .remedy(missing.remedy));
}

/// Reports a conflict of two accesses to the same rank.
void compare(const window_access& before, const window_access& made, const std::byte* base, epoch_kind epoch) {
  if (before.target != made.target || !may_conflict(before.kind, made.kind)) return;
  if (const std::byte* const at = common_byte(made, before)) report_conflict(before, made, at - base, epoch);
}

/// A lock keeps accesses of two ranks apart if one of them has it alone.
bool are_apart(const open_access& one, const open_access& other) {
  const bool is_exclusive = one.epoch == epoch_kind::exclusive_lock || other.epoch == epoch_kind::exclusive_lock;
  return one.origin != other.origin && is_exclusive;
}

void compare_with_open(checked_window& window, open_access made, const std::byte* base, const window_operation& by) {
  constexpr std::size_t most_open = 4096;
  for (const open_access& other : window.open)
    if (!are_apart(other, made)) compare(other.access, made.access, base, made.epoch);
  if (by.is_waited_for && made.fetches) return;  // MPI_Wait ends it
  if (window.open.size() == most_open) window.open.pop_front();
  window.open.push_back(std::move(made));
}

checked_window& checked(rank_window& of) { return shared_windows().all[of.comm().shared_members().get()]; }

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
  const fixed_memory* const memory = of.target(target).known_memory();
  const epoch_kind epoch = of.epochs.kind_of_epoch(target);
  if (!innermost_call || !memory || epoch == epoch_kind::none) return;
  window_access made{operation.kind, target, runs_of(operation.target, *memory), innermost_description()};
  const std::scoped_lock lock(shared_windows().mutex);
  checked_window& window = checked(of);
  if (epoch != epoch_kind::fence) {
    const bool fetches = operation.result.type != nullptr;
    return compare_with_open(window, {std::move(made), of.rank(), epoch, fetches}, base_of(*memory), operation);
  }
  auto& others = window.accesses[window.epochs[of.rank()]];
  for (const window_access& other : others) compare(other, made, base_of(*memory), epoch);
  others.push_back(std::move(made));
}

void ends_accesses(rank_window& of, std::optional<int> target, ended_accesses which) {
  const std::scoped_lock lock(shared_windows().mutex);
  std::erase_if(checked(of).open, [&](const open_access& one) {
    return one.origin == of.rank() && one.epoch != epoch_kind::started && (!target || one.access.target == *target) &&
           (which == ended_accesses::all || one.fetches);
  });
}

/// This process does not see when a target on another node ends its epoch.
void completes(rank_window& of) {
  const std::scoped_lock lock(shared_windows().mutex);
  std::erase_if(checked(of).open, [&](const open_access& one) {
    return one.origin == of.rank() && one.epoch == epoch_kind::started && !of.target(one.access.target).shared_memory();
  });
}

void has_ended_exposure(rank_window& of) {
  const std::scoped_lock lock(shared_windows().mutex);
  std::erase_if(checked(of).open, [&](const open_access& one) {
    return one.access.target == of.rank() && one.epoch == epoch_kind::started;
  });
}

void frees(rank_window& of) {
  const std::scoped_lock lock(shared_windows().mutex);
  shared_windows().all.erase(of.comm().shared_members().get());
}

void begins_fence(rank_window& of, int assertions) {
  if (!innermost_call) return;
  described_call site = innermost_description();
  const std::scoped_lock lock(shared_windows().mutex);
  checked_window& window = checked(of);
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
