// replica_set.hpp - where the elements of one logical array are: storage in memories, what of it is valid, and from
// when.
//
// It decides and remembers; others allocate, copy and compute. State runs ahead of execution: what has been told
// (added, copied, used) counts as if it had happened, with a token for the time from which that is true. Whoever uses
// storage next waits for the tokens that waits_of names, so the machine may lag behind by as much as it likes.
//
//     replicas.acquire(memory, needs, plan);               // make room for plan.allocate, then acquire anew if that
//     evicted here for (auto& s : plan.allocate) replicas.add(s, allocate(s)); for (auto& f : plan.fills)
//     replicas.filled(f, start_fill(f, waits_of(f))); for (auto& c : plan.copies) replicas.copied(c, start_copy(c,
//     waits_of(c))); for (auto& f : plan.folds) replicas.folded(f, start_fold(f, waits_of(f)));
//     ... waits_of(plan.use[i], needs[i]) of all needs; token t = start the kernel behind them ...
//     for each need: replicas.used(plan.use[i], needs[i], t);
//     for (auto r : plan.retire) replicas.drop(r, waits), free_after(waits);
//
// A reduction changes content in place where the memory has it. Elsewhere it goes into an accumulator, storage of its
// own that begins with the operator's identity; so several memories reduce at a time. Accumulators are folded into a
// replica when the content is needed, or when another operator comes.
//
// Threads     one owner.
// Cost        acquire, waits_of and used together: about 90 ns for an array that is whole and valid where it is needed,
// 360 for
//             one of 1,024 tiles stored one by one (bench/micro/objects_micro.cpp); else what tile_map and region cost.
// Invariants  (1) in one memory no storage lies in another, but for accumulators, and only storage too large to be
// joined overlaps;
//             what one need names lies in one, and so do needs of one task that meet. (2) what is valid in several
//             replicas is equal there, from their tokens on, whether they share a memory or not. (3) an element that
//             was written is valid somewhere, or it was lost. (4) of each element all that has been accumulated is of
//             one operator.
// Source      replicas with validity per region: Realm's and Legion's physical instances, Celerity's buffer manager,
// which
//             also grows storage where boxes overlap; MSI coherence, per region and without a third state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "data/usage.hpp"
#include "geometry/tile_map.hpp"

namespace stretto::data {

/// A small number for each memory, given by the caller.
using memory_number = std::uint32_t;
/// A time at which something will have happened, given by the caller; 0 is the past.
using token = std::uint64_t;
/// A replica; given again after it was dropped.
using replica_id = std::uint32_t;
inline constexpr replica_id no_replica = UINT32_MAX;

class replica_set {
 public:
  struct storage {
    replica_id id;
    memory_number memory;
    box where;
    std::optional<std::uint32_t> accumulates = {};  // for a reduction by this operator
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
  /// Storage that holds `where` and `room` in one piece, and the right content of `where` unless all of it is
  /// overwritten.
  struct need {
    box where;
    usage how;
    box room = {};
  };
  struct plan {
    std::vector<storage> allocate;   // to be added in this order
    std::vector<fill> fills;         // then this,
    std::vector<copy> copies;        // this
    std::vector<fold> folds;         // and this, in order as far as tokens say
    std::vector<replica_id> retire;  // what allocate supersedes, to be dropped last
    std::vector<replica_id> use;     // per need; no_replica for an empty box
    region unwritten, lost;          // needed content that was never written, or that no memory has any more
    std::uint64_t made_at = 0;

    /// Nothing is to be done first.
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
  /// The operations that one follows. It is skipped where one of `content` fails, which was to write what it needs;
  /// those of `order` only have to have ended, well or not.
  struct wait_list {
    std::vector<token> content, order;
    void clear() { content.clear(), order.clear(); }
  };
  /// What moving so many bytes from one memory to another costs, in any unit. Not called for from == to.
  using cost_function = std::function<double(memory_number from, memory_number to, std::uint64_t bytes)>;

  /// `has_passed`: whether waiting for a token is needless by now; may say no for ever. Asked seldom, so that lists of
  /// readers do not grow without end. `most_joined`: the bytes of which storage that overlaps is joined at most, in
  /// that memory, always the same; none: of any size. Asked where there is something to join. What a need asks for is
  /// in one piece in any case.
  replica_set(std::uint32_t element_bytes, cost_function cost, std::function<bool(token)> has_passed,
              std::function<std::uint64_t(memory_number)> most_joined = {});
  replica_set(const replica_set&) = delete;

  /// What it takes to serve all needs of one task in one memory. Changes nothing. Where storage in this memory overlaps
  /// what a need asks for without containing it, one storage supersedes both, so that each need is served in one piece;
  /// or, where that would be more than `most_joined`, new storage for the need alone, beside the other: what both hold
  /// is copied between them as between memories.
  void acquire(memory_number in, std::span<const need> needs, plan& out) const;
  /// Whether acquire would say the same again.
  bool is_current(const plan& p) const noexcept { return p.made_at == changes_; }
  /// Rises whenever an answer of acquire may change: a task that goes on in place with what is valid there alone
  /// changes none.
  std::uint64_t changes() const noexcept { return changes_; }

  /// The id that storage gets which no plan asked for: memory that the program owns.
  replica_id next_id() const noexcept {
    return free_.empty() ? static_cast<replica_id>(replicas_.size()) : free_.back();
  }
  /// Storage exists from `ready` on; nothing is valid in it. What the program has put there is told by used.
  void add(const storage& s, token ready);

  /// What is overwritten may fail, and who reads it.
  void waits_of(const copy& c, wait_list& out) const;
  void copied(const copy& c, token done);
  void waits_of(const fill& f, wait_list& out) const;
  void filled(const fill& f, token done);
  void waits_of(const fold& f, wait_list& out) const;
  void folded(const fold& f, token done);
  /// An operation that overwrites everything follows those that used it before, and does not fail with them.
  void waits_of(replica_id r, const box& where, usage how, wait_list& out) const;
  /// All of them together.
  void waits_of(replica_id r, const box& where, usage how, std::vector<token>& out) const;
  void waits_of(replica_id r, const need& n, std::vector<token>& out) const { waits_of(r, n.where, n.how, out); }
  /// Whoever changes content makes every other replica invalid there.
  void used(replica_id r, const box& where, usage how, token done);
  void used(replica_id r, const need& n, token done) { used(r, n.where, n.how, done); }

  /// What is valid in this replica alone, or has been accumulated in it.
  region only_in(replica_id r) const;
  /// What brings it to `to`, another memory, so that drop will not refuse; to storage that holds `room`, too.
  void write_back(replica_id r, memory_number to, plan& out, const box& room = {}) const;
  /// Forgets a replica and appends the tokens after which its storage may be freed. False, with nothing changed, while
  /// something is valid there alone.
  bool drop(replica_id r, std::vector<token>& waits);
  /// Its content is not needed any more; storage stays. It counts as never written.
  void discard(const box& where);
  /// Who was to write it never began: what was there before is lost.
  void spoil(const box& where);
  /// The memory and all in it is gone. Returns what is now lost.
  region lose(memory_number memory);
  /// What `t` stands for has failed: what it was to write is not valid. Returns what is now lost. Each token that fails
  /// in consequence is told as well.
  region failed(token t);

  /// Whether it is valid anywhere, or was lost since.
  const region& written() const noexcept { return written_; }
  std::uint64_t valid_elements(memory_number in, const box& where) const;
  bool is_valid(replica_id r, const box& where) const { return holds(at(r), where); }
  storage about(replica_id r) const { return {r, at(r).memory, at(r).where, at(r).accumulates}; }
  /// Of one memory, in the order of their ids.
  std::vector<storage> replicas(memory_number in) const;

 private:
  /// Those by the same operator, of one side, do not wait for one another.
  struct contribution {
    token by;
    std::uint32_t reduction;
    std::uint8_t side;
    bool shares_with(const usage& how) const noexcept { return reduction == how.reduction && side == how.side; }
    friend bool operator==(const contribution&, const contribution&) = default;
  };
  struct cell {
    bool valid = false;
    token written = 0;           // from which the content, or the storage, is there
    std::vector<token> readers;  // since then
    std::vector<contribution> contributors;  // since then
    friend bool operator==(const cell&, const cell&) = default;
  };
  struct replica {
    memory_number memory = 0;
    std::optional<std::uint32_t> accumulates = {};  // by this operator; valid cells are those that hold some of it
    box where;  // empty: free
    tile_map<cell> cells = {};
    std::size_t settle_at = 1024;
    bool superseded = false;  // its elements are another's in this memory; it is a source until it is dropped
  };

  const replica& at(replica_id r) const { return replicas_[r]; }
  template <class F>
  void each_meeting(const box& where, F f) const;
  static std::uint64_t count_valid(const replica& r, const box& where);
  static void list_valid(const replica& r, const box& where, std::vector<box>& out);
  static bool holds(const replica& r, const box& where) { return count_valid(r, where) == where.volume(); }
  static bool holds_some(const replica& r, const box& where);
  /// False if nothing was valid there.
  static bool make_invalid(replica& r, const box& where);
  region valid_in(const replica& r, const box& where) const;
  region nowhere_valid(region where) const;
  template <class T, class Passed>
  static void append_in_time(std::vector<T>& list, const T& one, const Passed& has_passed);
  void read_by(cell& c, token t) const;
  void settle(replica& r) {
    if (r.cells.size() > r.settle_at) settle_now(r);
  }
  void settle_now(replica& r);
  void forget(replica_id r);
  bool invalidate(const box& where, replica_id but);  // whether anything was
  region lost_with(const region& accumulated, const region& valid);
  void wait_to_read(const replica& r, const box& where, std::vector<token>& content) const;
  void wait_to_write(const replica& r, const box& where, std::vector<token>& content,
                     std::vector<token>& readers) const;
  void wait_to_contribute(const replica& r, const box& where, const usage& how, std::vector<token>& content,
                          std::vector<token>& readers) const;
  void list_waits(replica_id r, const box& where, usage how, std::vector<token>& content,
                  std::vector<token>& order) const;
  bool write(replica_id r, const box& where, token done);  // whether it was not valid before
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
  bool overlaps_ = false;  // some storage has met other storage of its memory
  std::uint64_t changes_ = 1;
  mutable std::vector<geometry::box_index::entry> met_;
};

}  // namespace stretto::data
