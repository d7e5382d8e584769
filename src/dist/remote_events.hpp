// remote_events.hpp - events of other nodes: asked about once, told once, inferred where that is sound.
//
// What a node knows of another's slot is a number and a list: all generations below `ended_below` have ended, and those on the
// list were poisoned. The first interest in a generation that may still be pending asks its owner, who answers once: at once, if it
// has ended, else when it does. An answer covers everything since what the asker knew, so that one about a later generation
// serves for the earlier ones. The handle of a later generation proves that an earlier one has ended, but not how: until the list
// has come, it counts as pending.
//
// A node that triggers an event of another tells its owner, and infers for itself that it has ended; it says so, and the owner
// does not tell it. Inferred generations above a gap are kept one by one, `most_inferred` at most before an answer is wanted after all.
// A poison is told by the owner alone, and so is an event that was ended twice: whoever came too late is told (E01), with its
// line, as a failure that nobody looked at. A node that triggered too late has inferred a success, and stays with that.
//
// Messages    subscribe, ended: one of each per node and generation that is asked about. end: one, instead of that node's `ended`
//             if that node asked at all. So N nodes that take part in an event that triggers send at most 2N-2.
//
// Threads     any, once served; handlers run inside job::poll.
// Cost        a look at what is known: a hash and a lock of a few instructions. Memory: a record of about 120 bytes per slot of another node
//             that was ever asked about, which the owner's peak of untriggered events bounds.
// Source      generational events across nodes: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 5. Ours carries causes,
//             and infers what its own triggers mean.
#pragma once

#include <array>
#include <unordered_map>

#include "base/spin_lock.hpp"
#include "base/wait_snapshot.hpp"
#include "dist/failures.hpp"
#include "dist/job.hpp"
#include "event/remote_owner.hpp"

namespace stretto::detail {
class event_table;
}

namespace stretto::dist {

class remote_events final : public remote_owner, public protocol {
 public:
  static constexpr std::size_t most_inferred = 8;

  /// Before job::start. `causes` is shared by the protocols of a job.
  remote_events(job& j, failures& causes);
  ~remote_events() override;
  /// Handles of the job's other nodes work on this runtime from now on; its events have been started under job::node().
  void serve(base::runtime_context& runtime);

  bool reaches(event e) const noexcept override;
  known_state query(event e) override;
  void express_interest(event e) override;
  bool subscribe(event e, waiter& w, base::thread_context& context) override;
  void forward_end(event e, failure_ref cause, base::thread_context& context,
                   const std::source_location& where) override;

  void lost(rank node, base::thread_context& context) noexcept override;
  /// For reports: what waits here for events of other nodes.
  void tell_waits(base::wait_walk& walk) const;

  /// Slots of other nodes of which something is kept.
  std::size_t records() const;

 private:
  struct poison {
    std::uint32_t generation;
    failure_ref cause;
  };
  /// A generation that the owner has been asked about and has not answered for.
  struct question {
    std::uint32_t generation;
    waiter* waiters = nullptr;
  };
  struct record {
    std::uint32_t ended_below = 1;
    std::vector<poison> poisons;           // below ended_below
    std::vector<std::uint32_t> inferred;   // triggered from here, not below ended_below
    std::vector<question> questions;       // not below ended_below, nor inferred
    failure_ref lost;                      // the owner is: what is not known to have ended never will
  };
  struct shard {
    mutable base::spin_lock lock;
    std::unordered_map<std::uint64_t, record> records;  // by node and slot of the handle
  };
  /// The owner's: a generation that another node waits for.
  struct subscription;

  static constexpr unsigned shard_bits = 6;
  shard& shard_of(std::uint64_t key) noexcept {
    return shards_[key * 0x9e3779b97f4a7c15u >> (64 - shard_bits)];
  }

  static bool is_known(const record& r, std::uint32_t generation) noexcept;
  /// With the lock held: whether the owner has yet to be asked about a generation that is not known.
  bool add_question(record& r, std::uint32_t generation, waiter* w);
  /// Asks; without the lock.
  void ask(event e, std::uint32_t known);
  record& at(shard& s, event e, rank owner);
  /// With the lock held: moves what is answered to `ended`, its waiters with the cause that they are to be told.
  static void take_answered(record& r, std::vector<std::pair<waiter*, failure_ref>>& ended);
  static const failure* cause_in(const record& r, std::uint32_t generation) noexcept;

  // The owner's side.
  void answer_now(rank to, std::uint32_t slot, std::uint32_t known);
  void on_subscribe(rank from, reader& content, base::thread_context& context);
  void on_end(rank from, reader& content, base::thread_context& context);
  // The asker's.
  void on_ended(rank from, reader& content, base::thread_context& context);
  void on_refused(rank from, reader& content, base::thread_context& context);

  job& job_;
  failures& causes_;
  detail::event_table* table_ = nullptr;
  std::array<shard, 1u << shard_bits> shards_;
  message_kind subscribe_, ended_, end_, refused_;
  /// What a node that ends an event of ours knows by itself, while its message is handled: rank, slot and generation.
  std::atomic<std::uint64_t> knows_{0};
};

}  // namespace stretto::dist
