// object_directory.hpp - what one node knows of each object: the object itself if it is here, where it was last known
// to be, and, for an object that this node made, where it is.
//
// The entries are divided into shards, each with a lock and counts.
//
// Threads     Any. An entry may be used while its shard is locked; at most one shard is locked at a time, and the only
//             other lock taken under it is that of the pending replies.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "mobile/local_object.hpp"
#include "mobile/messages.hpp"

namespace stretto::mobiles {

/// Kept for each object that this node made.
struct home_record {
  bool is_moving = false;                                // and the destination has not confirmed the arrival
  rank moving_from = 0;                                  // while is_moving
  std::map<rank, std::uint32_t> pinned;                  // messages forwarded there that block migration, by node
  rank requested_destination = no_rank;                  // of a migration that waits until nothing is pinned
  std::vector<std::unique_ptr<remote_message>> blocked;  // messages that wait for that migration
  std::set<rank> visited;                                // nodes that may have an entry for the object
};

struct object_entry {
  std::unique_ptr<local_object> local;
  std::shared_ptr<departed_object> departed;  // kept until the destination has accepted the object
  std::unique_ptr<home_record> home;
  std::uint64_t messages_sent = 0;  // by this node
  std::uint64_t unanswered = 0, answered_below = 0;
  rank location = no_rank;      // last known; at the home node the current one or the destination
  migration_epoch epoch = {};   // of the migration to `location`; 0: unknown
  bool was_sent_there = false;  // this node sent the object to `location`
  bool was_here = false;
  rank awaited_from = no_rank;                          // the node that may still send the object here
  std::vector<std::unique_ptr<remote_message>> parked;  // until the object arrives
  failure_ref loss;                                     // permanent for this node
  std::string name;

  /// The object is there since the migration `since`; 1: since it was made.
  void place(rank at, migration_epoch since) noexcept {
    location = at;
    epoch = since;
  }
  /// A message to the object is about to be sent.
  template <class Message>
  void number_message(Message& msg) noexcept {
    msg.number = messages_sent++;
    msg.answered_below = answered_below;
    ++unanswered;
  }
  /// One of `unanswered` has its reply.
  void count_reply() noexcept {
    // While the object is local, local messages with lower numbers may wait.
    if (unanswered && --unanswered == 0 && !local) answered_below = messages_sent;
  }
};

class object_directory {
 public:
  struct alignas(64) shard {
    base::spin_lock lock;
    std::unordered_map<object_id, object_entry> all;
    mobile_statistics counters;
    std::uint64_t ended = 0;  // messages counted in counters.near or counters.far that have ended
    object_entry* find(object_id id) {
      const auto it = all.find(id);
      return it == all.end() ? nullptr : &it->second;
    }
  };

  shard& shard_of(object_id id) noexcept {
    const std::uint64_t bits = base::value_of(id);
    return shards_[(bits ^ bits >> 6) % shards_.size()];
  }
  std::array<shard, 64>& shards() noexcept { return shards_; }
  /// Calls f(id, entry) for each entry, while its shard is locked; it stops when f returns false.
  template <class F>
  void for_each(F&& f) {
    for (shard& s : shards_) {
      const std::scoped_lock lock(s.lock);
      for (auto& [id, e] : s.all)
        if (!f(id, e)) return;
    }
  }
  /// Calls f(object) for each local object, while its shard is locked.
  template <class F>
  void for_each_local(F&& f) {
    for_each([&](object_id, object_entry& e) {
      if (e.local) f(*e.local);
      return true;
    });
  }

  bool is_here(object_id id);
  /// Empty: this node does not know it.
  std::string name_of(object_id id);

  /// Messages of this node that the shards count (those to local and to remote objects), and how many of them have
  /// ended.
  std::uint64_t messages_begun() noexcept;
  std::uint64_t messages_ended() noexcept;
  /// Sums over the shards.
  mobile_statistics statistics();

  /// Destroys the local objects that are left. Requires that no task runs any more.
  void clear() noexcept;

 private:
  std::array<shard, 64> shards_;
};

}  // namespace stretto::mobiles
