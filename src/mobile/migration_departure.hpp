// migration_departure.hpp - the source's part of a migration: it writes the object when no handler uses it, sends it
// with its messages, and keeps it until the destination has accepted it, if the destination may lack memory for it.
//
// Threads     pack: any. Others: inside a poll.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dist/out_of_band_parts.hpp"
#include "mobile/message_counters.hpp"
#include "mobile/migration_message.hpp"
#include "mobile/object_replies.hpp"

namespace stretto::mobiles {

class migration_departure {
 public:
  /// `j` and `parts` are null in a runtime without a job.
  migration_departure(dist::job* j, dist::out_of_band_parts* parts, const home_nodes& homes,
                      object_directory& directory, const object_failures& failures, message_counters& counters,
                      const local_objects& local, object_replies& replies, action_runner& runner) noexcept
      : job_(j),
        parts_(parts),
        homes_(homes),
        directory_(directory),
        failures_(failures),
        counters_(counters),
        local_(local),
        replies_(replies),
        runner_(runner) {}

  /// The object has been granted a migration, and is_packing: writes and sends it.
  void pack(local_object& o);
  /// Takes rejected objects back whose parts the transport has released.
  void take_back_rejected() {
    if (!returning_.empty()) retry_returning();
  }

  void on(rank from, const migration_decision& m);
  void on(rank from, const migration_cancelled& m);
  void on(rank from, const object_accepted& m);
  void on(rank from, const object_rejected& m);

 private:
  struct leaving_object;
  void send(std::unique_ptr<local_object> o, detail::parcel&& content, migration_epoch epoch);
  void put_messages(leaving_object& to);
  void put(leaving_object& to, message_queue queue, message& msg);
  void retry_returning();

  dist::job* const job_;
  dist::out_of_band_parts* const parts_;
  const home_nodes& homes_;
  object_directory& directory_;
  const object_failures& failures_;
  message_counters& counters_;
  const local_objects& local_;
  object_replies& replies_;
  action_runner& runner_;
  std::vector<object_rejected> returning_;  // wait until the transport has released their parts
};

}  // namespace stretto::mobiles
