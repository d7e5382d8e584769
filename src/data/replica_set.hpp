// replica_set.hpp - the replicas of one array: storage in memories, which elements of it are valid, and from when.
//
// A replica_set decides and records; its owner allocates, copies and computes. The state runs ahead of execution: a
// reported action (added, copied, used) counts as done, with a token for the time from which that is true. The next
// user of the storage waits for the tokens that waits_of returns, so execution may lag behind by any amount.
//
//     replicas.acquire(memory, needs, plan);  // free memory for plan.allocate; acquire again if that evicted here
//     for (auto& s : plan.allocate) replicas.add(s, allocate(s));
//     for (auto& f : plan.fills) replicas.filled(f, start_fill(f, waits_of(f)));
//     for (auto& c : plan.copies) replicas.copied(c, start_copy(c, waits_of(c)));
//     for (auto& f : plan.folds) replicas.folded(f, start_fold(f, waits_of(f)));
//     ... waits_of(plan.use[i], needs[i]) of all needs; token t = start the kernel after them ...
//     for each need: replicas.used(plan.use[i], needs[i], t);
//     for (auto r : plan.retire) replicas.drop(r, waits), free_after(waits);
//
// A reduction changes the data in place if the memory has it. Otherwise it contributes to an accumulator: separate
// storage that starts with the operator's identity, so that several memories can reduce at the same time. Accumulators
// are folded into a replica when the data is needed, or when another operator is used.
//
// Threads     one owner.
// Cost        acquire, waits_of and used together: about 90 ns for an array that is whole and valid where it is needed,
//             360 for one of 1,024 tiles stored one by one (bench/micro/objects_micro.cpp); else the cost of tile_map
//             and region.
// Invariants  (1) in one memory no storage contains another, except accumulators, and only storage too large to be
//             joined overlaps. Each need is served by one storage, and so are overlapping needs of one task. (2)
//             elements valid in several replicas are equal there, from their tokens on. (3) an element that was written
//             is valid somewhere, or it was lost. (4) all contributions accumulated for an element are of one operator.
// Source      replicas with validity per region: Realm's and Legion's physical instances, Celerity's buffer manager,
//             which also grows storage if boxes overlap; MSI coherence, per region and without a third state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "data/usage.hpp"
#include "geometry/tile_map.hpp"

namespace stretto::data {

/// The number of a memory, chosen by the caller.
using memory_number = std::uint32_t;
/// A time at which something will have happened, chosen by the caller; 0 is the past.
using token = std::uint64_t;
/// The id of a replica; reused after it was dropped.
using replica_id = std::uint32_t;
inline constexpr replica_id no_replica = UINT32_MAX;

class replica_set {
 public:
  struct storage {
    replica_id id;
    memory_number memory;
    box where;
    std::optional<std::uint32_t> accumulates = {};  // the operator of an accumulator
    friend bool operator==(const storage&, const storage&) = default;
  };
  struct copy {
    replica_id from, to;
    box where;
    friend bool operator==(const copy&, const copy&) = default;
  };
  /// Sets an accumulator to the identity of its operator.
  struct fill {
    replica_id to;
    box where;
    std::uint32_t reduction;
    friend bool operator==(const fill&, const fill&) = default;
  };
  /// Combines an accumulator into a replica, which may lie in another memory.
  struct fold {
    replica_id from, to;
    box where;
    std::uint32_t reduction;
    friend bool operator==(const fold&, const fold&) = default;
  };
  /// A request for storage that holds `where` and `room` in one piece, with valid elements of `where` unless all of
  /// them are overwritten.
  struct need {
    box where;
    usage how;
    box room = {};
  };
  struct plan {
    std::vector<storage> allocate;   // to be added in this order
    std::vector<fill> fills;         // then this,
    std::vector<copy> copies;        // this
    std::vector<fold> folds;         // and this, in the order of tokens
    std::vector<replica_id> retire;  // superseded by allocate, to be dropped last
    std::vector<replica_id> use;     // per need; no_replica for an empty box
    region unwritten, lost;          // needed elements that were never written, or were lost
    std::uint64_t made_at = 0;

    /// Whether no action is needed first.
    bool is_idle() const noexcept {
      return allocate.empty() && fills.empty() && copies.empty() && folds.empty() && retire.empty() &&
             unwritten.is_empty() && lost.is_empty();
    }
    void clear() {
      allocate.clear(), fills.clear(), copies.clear(), folds.clear(), retire.clear(), use.clear();
      if (!unwritten.is_empty()) unwritten = {};
      if (!lost.is_empty()) lost = {};
    }
  };
  /// The predecessors of an operation. It is skipped if one of `content` fails, the writers of its input. Those of
  /// `order` must only have ended, with or without failure.
  struct wait_list {
    std::vector<token> content, order;
    void clear() { content.clear(), order.clear(); }
  };
  /// The cost of moving bytes from one memory to another, in any unit. Not called for from == to.
  using cost_function = std::function<double(memory_number from, memory_number to, std::uint64_t bytes)>;

  /// `has_passed`: whether no one need wait for a token any more; may always return false. Called rarely, to prune
  /// lists of readers.
  /// `most_joined`: the largest size in bytes to which overlapping storage of that memory is joined, always the same;
  /// none: any size. A need is served in one piece in any case.
  replica_set(std::uint32_t element_bytes, cost_function cost, std::function<bool(token)> has_passed,
              std::function<std::uint64_t(memory_number)> most_joined = {});
  replica_set(const replica_set&) = delete;

  /// Plans how to serve all needs of one task in one memory; changes nothing. If storage in this memory overlaps a need
  /// without containing it, new storage supersedes both, so that each need is served in one piece. If that would exceed
  /// `most_joined`, the need gets separate storage, and elements in both are copied between them as between memories.
  void acquire(memory_number in, std::span<const need> needs, plan& out) const;
  /// Whether acquire would return the same plan.
  bool is_current(const plan& p) const noexcept { return p.made_at == changes_; }
  /// Rises whenever a result of acquire may change. A task that uses data in place that is valid only there changes
  /// none.
  std::uint64_t changes() const noexcept { return changes_; }

  /// The id of storage that no plan asked for: memory that the program owns.
  replica_id next_id() const noexcept {
    return free_.empty() ? static_cast<replica_id>(replicas_.size()) : free_.back();
  }
  /// Storage exists from `ready` on, with nothing valid in it. Data that the program has put there is reported by used.
  void add(const storage& s, token ready);

  /// A copy or fill overwrites its target, so failures of its earlier users do not matter.
  void waits_of(const copy& c, wait_list& out) const;
  void copied(const copy& c, token done);
  void waits_of(const fill& f, wait_list& out) const;
  void filled(const fill& f, token done);
  void waits_of(const fold& f, wait_list& out) const;
  void folded(const fold& f, token done);
  /// An operation that overwrites everything follows the earlier users, and does not fail with them.
  void waits_of(replica_id r, const box& where, usage how, wait_list& out) const;
  /// All tokens together.
  void waits_of(replica_id r, const box& where, usage how, std::vector<token>& out) const;
  void waits_of(replica_id r, const need& n, std::vector<token>& out) const { waits_of(r, n.where, n.how, out); }
  /// Reports a use. A writer makes the elements invalid in all other replicas.
  void used(replica_id r, const box& where, usage how, token done);
  void used(replica_id r, const need& n, token done) { used(r, n.where, n.how, done); }

  /// The elements that are valid, or accumulated, in this replica alone.
  region only_in(replica_id r) const;
  /// Plans copies of these elements to `to`, another memory, so that drop succeeds; to storage that also holds `room`.
  void write_back(replica_id r, memory_number to, plan& out, const box& room = {}) const;
  /// Forgets a replica and appends the tokens after which its storage may be freed. Returns false, without effect, if
  /// elements are valid there alone.
  bool drop(replica_id r, std::vector<token>& waits);
  /// The elements are not needed any more and count as never written; storage stays.
  void discard(const box& where);
  /// A writer of these elements was submitted but will not run: their old data is lost.
  void spoil(const box& where);
  /// The memory and its replicas are lost. Returns the elements that are now lost.
  region lose(memory_number memory);
  /// The operation of `t` has failed: its output is not valid. Returns the elements that are now lost. Tokens that fail
  /// as a consequence are reported separately.
  region failed(token t);

  /// The elements that are valid anywhere, or were lost since.
  const region& written() const noexcept { return written_; }
  std::uint64_t valid_elements(memory_number in, const box& where) const;
  bool is_valid(replica_id r, const box& where) const { return holds(at(r), where); }
  storage about(replica_id r) const { return {r, at(r).memory, at(r).where, at(r).accumulates}; }
  /// The replicas of one memory, in the order of their ids.
  std::vector<storage> replicas(memory_number in) const;

 private:
  /// Contributions by one operator, of one side, do not wait for one another.
  struct contribution {
    token by;
    std::uint32_t reduction;
    std::uint8_t side;
    bool shares_with(const usage& how) const noexcept { return reduction == how.reduction && side == how.side; }
    friend bool operator==(const contribution&, const contribution&) = default;
  };
  struct cell {
    bool valid = false;
    token written = 0;                       // from which the data, or the storage, is there
    std::vector<token> readers;              // since then
    std::vector<contribution> contributors;  // since then
    friend bool operator==(const cell&, const cell&) = default;
  };
  struct replica {
    memory_number memory = 0;
    std::optional<std::uint32_t> accumulates = {};  // the operator; valid cells hold contributions
    box where;                                      // empty: free
    tile_map<cell> cells = {};
    std::size_t prune_at = 1024;
    bool superseded = false;  // other storage of this memory has its elements; it is a source until it is dropped
  };

  const replica& at(replica_id r) const { return replicas_[r]; }
  template <class F>
  void for_each_meeting(const box& where, F f) const;
  static std::uint64_t count_valid(const replica& r, const box& where);
  static void list_valid(const replica& r, const box& where, std::vector<box>& out);
  static bool holds(const replica& r, const box& where) { return count_valid(r, where) == where.volume(); }
  static bool has_valid_element(const replica& r, const box& where);
  /// False if nothing was valid there.
  static bool make_invalid(replica& r, const box& where);
  region valid_in(const replica& r, const box& where) const;
  region nowhere_valid(region where) const;
  template <class T, class Passed>
  static void append_and_prune(std::vector<T>& list, const T& one, const Passed& has_passed);
  void add_reader(cell& c, token t) const;
  void prune(replica& r) {
    if (r.cells.size() > r.prune_at) prune_now(r);
  }
  void prune_now(replica& r);
  void forget(replica_id r);
  bool invalidate(const box& where, replica_id but);  // whether any element was valid
  region lost_with(const region& accumulated, const region& valid);
  void wait_to_read(const replica& r, const box& where, std::vector<token>& content) const;
  void wait_to_write(const replica& r, const box& where, std::vector<token>& content,
                     std::vector<token>& readers) const;
  void wait_to_contribute(const replica& r, const box& where, const usage& how, std::vector<token>& content,
                          std::vector<token>& readers) const;
  void list_waits(replica_id r, const box& where, usage how, std::vector<token>& content,
                  std::vector<token>& order) const;
  bool write(replica_id r, const box& where, token done);  // whether an element was not valid before
  bool contribute(replica_id r, const box& where, const usage& how, token done);
  bool has_accumulated(const box& where, std::optional<std::uint32_t> but) const;
  void find_accumulator(memory_number in, const need& n, replica_id& use, plan& out) const;
  void plan_folds(const need& n, replica_id to, plan& out) const;
  bool forget_accumulated(const box& where);
  replica_id new_id(std::size_t nth) const noexcept;
  bool goes_into_accumulator(memory_number in, std::span<const need> needs, std::size_t number) const;
  void find_storage(memory_number in, std::span<const need> needs, plan& out) const;
  void join(const geometry::box_index& index, std::vector<box>& made) const;
  replica_id best_of(std::span<const geometry::box_index::entry> met, const box& where) const;
  void fetch(const box& where, replica_id to, memory_number in, region& there, plan& out) const;

  std::uint64_t element_bytes_;
  cost_function cost_;
  std::function<bool(token)> has_passed_;
  std::function<std::uint64_t(memory_number)> most_joined_;
  std::vector<replica> replicas_;
  std::vector<replica_id> free_;
  std::vector<geometry::box_index> index_;  // per memory: replicas that are not superseded
  std::vector<replica_id> superseded_, accumulators_;
  region written_;
  bool overlaps_ = false;  // some storage overlaps other storage of its memory
  std::uint64_t changes_ = 1;
  mutable std::vector<geometry::box_index::entry> met_;
};

}  // namespace stretto::data
