// migration_departure.hpp - the source's part of a migration: it writes the object when no handler uses it, sends it
// with its messages, and keeps it until the destination has accepted it, if the destination may lack memory for it.
//
// Threads     pack: any. Others: inside a poll.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dist/out_of_band_parts.hpp"
#include "mobile/migration_message.hpp"
#include "mobile/shared_parts.hpp"

namespace stretto::mobiles {

class migration_departure : shared_parts {
 public:
  /// `parts` is null in a runtime without a job.
  migration_departure(const shared_parts& all, dist::out_of_band_parts* parts) noexcept
      : shared_parts(all), parts_(parts) {}

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

  dist::out_of_band_parts* const parts_;
  std::vector<object_rejected> returning_;  // wait until the transport has released their parts
};

}  // namespace stretto::mobiles
