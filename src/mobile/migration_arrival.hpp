// migration_arrival.hpp - the destination's part of a migration: it reads the object, in a task if its parts must be
// waited for, and installs it, or rejects it for lack of memory.
//
// Threads     on_object, on_unreceivable: inside a poll. Reading: any.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "dist/out_of_band_parts.hpp"
#include "mobile/message_counters.hpp"
#include "mobile/migration_message.hpp"
#include "mobile/object_replies.hpp"

namespace stretto::mobiles {

class migration_arrival {
 public:
  /// `j` and `parts` are null in a runtime without a job.
  migration_arrival(dist::job* j, dist::out_of_band_parts* parts, const home_nodes& homes, object_directory& directory,
                    const object_failures& failures, message_counters& counters, const local_objects& local,
                    object_replies& replies, action_runner& runner) noexcept
      : job_(j),
        parts_(parts),
        homes_(homes),
        directory_(directory),
        failures_(failures),
        counters_(counters),
        local_(local),
        replies_(replies),
        runner_(runner) {}

  /// The object is counted as received when it has been read.
  void on_object(rank from, const object_migration& m);
  /// This node has no memory for the message.
  void on_unreceivable(rank from, const object_migration& prefix, failure_ref cause);

 private:
  struct arriving_object;
  /// The body of the task that reads an object.
  struct read_task {
    migration_arrival* all;
    arriving_object* what;
    void operator()() const;
  };
  void restore_messages(local_object& to, rank from, const object_migration& m) const;
  void read(std::unique_ptr<arriving_object> arriving, std::span<const std::byte> bytes);
  void accept(std::unique_ptr<arriving_object> arriving, failure_ref cause);
  void reject(rank from, const migration_header& head, const std::string& name, const failure_ref& cause);

  dist::job* const job_;
  dist::out_of_band_parts* const parts_;
  const home_nodes& homes_;
  object_directory& directory_;
  const object_failures& failures_;
  message_counters& counters_;
  const local_objects& local_;
  object_replies& replies_;
  action_runner& runner_;
};

}  // namespace stretto::mobiles
