// migration_arrival.hpp - the destination's part of a migration: it reads the object, and installs it, or rejects it
// for lack of memory. If large parts of the object were sent ahead (dist/out_of_band_parts.hpp), a task reads it,
// because it may have to wait for them.
//
// Threads     on_object, on_unreceivable: inside a poll. Reading: any.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "dist/out_of_band_parts.hpp"
#include "mobile/migration_message.hpp"
#include "mobile/shared_parts.hpp"

namespace stretto::mobiles {

class migration_arrival : shared_parts {
 public:
  /// `parts` is null in a runtime without a job.
  migration_arrival(const shared_parts& all, dist::out_of_band_parts* parts) noexcept
      : shared_parts(all), parts_(parts) {}

  /// The message counts as received only when the object has been read, so that no consistent point is found before.
  void on_object(rank from, const object_migration& m);
  /// This node has no memory for the message.
  void on_unreceivable(rank from, const object_migration& prefix, failure_ref cause);

 private:
  struct arriving_object;
  /// The body of the task that reads an object.
  struct read_task {
    migration_arrival* by;
    arriving_object* what;  // owned
    void operator()() const;
  };
  /// The senders' sequence numbers and the waiting messages.
  void restore_messages(local_object& to, rank from, const object_migration& m) const;
  /// Reads the object from `bytes` and its parts. If it has arrived as a whole, accepts or rejects it.
  void read(std::unique_ptr<arriving_object> arriving, std::span<const std::byte> bytes);
  /// Installs the object; if it could not be read because of `cause`, fails its messages.
  void accept(std::unique_ptr<arriving_object> arriving, failure_ref cause);
  /// Tells the source to keep the object.
  void reject(rank from, const migration_header& head, const std::string& name, const failure_ref& cause);

  dist::out_of_band_parts* const parts_;
};

}  // namespace stretto::mobiles
