// mailbox.hpp - the queues of a receiving rank, for all contexts. The side that comes second, the message or the
// receive, matches them and copies the data.
//
// Threads     any: senders of this node, the rank's own threads, and the network's.
// Cost        one lock for each message and one for each receive; copies above `bytes_under_lock` are outside of it.
// Invariants  (1) messages of one sender are delivered in the order of the calls. (2) a message larger than eager_bytes
//             is copied once. (3) standard sends of this node keep no more than most_early_bytes here: beyond that, the
//             data stays with the sender.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/config.hpp"
#include "base/spin_lock.hpp"
#include "ranks/messages/early_message.hpp"
#include "ranks/messages/match_queues.hpp"
#include "ranks/messages/message_request.hpp"

namespace stretto::ranks {

/// A message from another node whose data comes once it is asked for.
struct remote_message : queue_entry {
  remote_message(envelope e, std::int64_t bytes_of) : queue_entry(entry_kind::remote_data, e), bytes(bytes_of) {}

  std::int64_t bytes;

  /// Receives the data and ends the receive, which is active; then the message may destroy itself.
  virtual void receive_into(message_request& receive) = 0;
  /// The rank ends without having received it.
  virtual void abandon() noexcept = 0;

 protected:
  ~remote_message() = default;
};

/// A probe that waits for a message; a matched probe takes it.
struct probe_request final : request, queue_entry {
  probe_request(entry_kind is, envelope pattern);

  entry_kind kind_of_probe() const { return queue_entry::kind; }
  queue_entry* message = nullptr;  // of a matched probe
};

class alignas(base::cache_line) mailbox {
 public:
  mailbox();
  mailbox(const mailbox&) = delete;
  /// No thread may use it any more. Sends that wait here are never complete.
  ~mailbox();

  // By senders.

  /// Delivers a message if its data need not stay with the sender: a receive takes it, or it is copied aside. False: it
  /// needs a request, as all do while there is memory of devices. Throws call_error if it is in ready mode and has no
  /// receive.
  bool deliver_now(envelope message, const data_part& data, send_mode mode);
  /// Delivers a message if a receive waits for it.
  bool deliver_to_receive(envelope message, const data_part& data);
  /// Delivers the message of a send. The request is active afterwards, and done unless its data is still needed.
  void deliver(message_request& send);
  /// For messages from other nodes: delivers data, which is copied aside if no receive waits, whatever its size. It
  /// takes up capacity, if that is given, until it has been received.
  void deliver_copy(envelope message, const data_part& data, early_capacity* capacity = nullptr);
  void deliver(remote_message& message);
  /// Takes a message from another node out of the queue; false if a receive or a matched probe has taken it.
  bool try_withdraw(remote_message& message);
  /// Takes back a message that no receive or matched probe has taken; else does nothing.
  void cancel_send(message_request& send);

  // By the rank.

  /// The request is active afterwards, and done if the message had come.
  void receive(message_request& receive);
  void cancel_receive(message_request& receive);

  /// Whether receives wait for messages of this context.
  bool has_receives(context_number context);

  /// The oldest message that the pattern matches, as its receive would report it.
  std::optional<message_status> try_probe(envelope pattern);
  void probe(probe_request& probe);
  /// Takes the oldest message that the pattern matches out of the queue; null if there is none.
  queue_entry* try_take(envelope pattern, message_status& status);
  /// Receives a message that a matched probe has taken.
  void receive(message_request& receive, queue_entry& message);

 private:
  /// Early messages up to this size are copied to a dense receive buffer before the lock is given back: this is cheaper
  /// than to take it again.
  static constexpr std::int64_t bytes_under_lock = 512;

  /// Begins to fetch the lines that a sender needs next, while it fetches that of the lock from another core.
  void prefetch_queues() const {
    __builtin_prefetch(&world_, 1);
    __builtin_prefetch(reinterpret_cast<const std::byte*>(&world_) + base::cache_line, 1);
  }
  match_queues& queues_of(context_number context) {
    if (last_->context == context) [[likely]]
      return *last_;
    return other_queues_of(context);
  }
  match_queues& other_queues_of(context_number context);
  match_queues*& slot_of(context_number context);
  void add_context(context_number context);

  static void complete_receive(queue_entry& found, envelope message, const data_part& data);
  early_message& set_aside(match_queues& queues, envelope message, const data_part& data, queue_entry*& probes);
  void free_early(early_message& m);
  early_message& make_early(envelope message, std::int64_t bytes);
  /// Copies the data of a send aside without the lock: much of it, or that of a device.
  void deliver_aside(message_request& send);
  /// A message whose data is copied aside already. `send` may be taken back by it; null: nobody can.
  void deliver_large(early_message& copied, message_request* send);
  /// A receive that waited, with data that no queue has.
  void receive_early(message_request& receive, early_message& m);
  /// Frees the data of a message that was received.
  std::function<void(error_class)> end_of_early(early_message& m);

  // Guarded by the lock.
  base::spin_lock lock_;
  match_queues* last_ = &world_;  // used last
  match_queues world_{context_number(0)};
  std::vector<match_queues*> contexts_;  // an open hash table; its size is a power of two
  std::size_t context_count_ = 1;
  early_message_pool early_;
};

}  // namespace stretto::ranks
