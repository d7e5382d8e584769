// remote_messages.hpp - messages between ranks of different nodes.
//
// Every message is one active message of the transport, whose handler matches it in the order of sending. A small
// payload travels with it. A large one stays with the sender until a receive takes the message, and then goes to the
// receive buffer directly. So a rendezvous needs no message of ours.
//
// Small messages that have not been received take up memory of the receiving node. Once a rank has sent more of them
// than the receiver may keep (early_credit.hpp), it withholds their data until they are received.
//
// Messages    message: a rank's message. matched: a synchronous send has its receive. cancel, cancel_reply: the sender
//             takes a message back. data_request, data: withheld data. early_return: early messages were received.
// Threads     on the sending side any; handlers inside job::poll; a receive that takes a message that waits: any.
// Memory      messages up to eager_bytes, and buffered ones, are copied by the sender. Data that is not dense is packed
//             there, and unpacked by the receiver.
// Invariants  (1) messages between two ranks are matched in the order of the calls. (2) a send is complete once its
//             data may be changed and, in synchronous mode, a receive has taken it. (3) a node keeps no more than
//             most_early_bytes of early messages for each of its ranks.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/slot_map.hpp"
#include "base/spin_lock.hpp"
#include "dist/job.hpp"
#include "ranks/communicators/group.hpp"
#include "ranks/messages/mailbox.hpp"
#include "ranks/node_messages.hpp"
#include "ranks/nodes/early_credit.hpp"
#include "ranks/nodes/rank_map.hpp"

namespace stretto::ranks {

class remote_messages final : public dist::protocol {
 public:
  /// Before job::start.
  explicit remote_messages(dist::job& j);
  remote_messages(const remote_messages&) = delete;
  ~remote_messages() override;

  /// Once the job has started, before any rank sends.
  void use(const rank_map& map);
  /// Messages to a rank of this node go there. For all of them, before other nodes send.
  void set_mailbox(world_rank rank, mailbox& box);
  /// A rank of another node.
  remote_peer& reach(world_rank rank);
  /// All ranks of this node have ended: drops the messages that they have not received, and later ones.
  void close();

  void lost(dist::rank node, base::thread_context& context) noexcept override;
  /// Returns what ranks of this node have received early.
  void advance(base::thread_context& context) override;

 private:
  class peer_on_node;
  struct pending_send;
  class waiting_message;
  /// A rank of this node.
  struct local_rank {
    mailbox* box = nullptr;
    std::unique_ptr<received_early[]> early = {};  // by node
  };

  void start_send(peer_on_node& to, message_request& send);
  void send_copy(dist::rank node, const rank_message& head, message_request& send);
  pending_send& add_pending(message_request& send);
  void cancel_send(dist::rank node, world_rank to, message_request& send);
  void end_part(pending_send& send);
  pending_send* find_pending(std::uint64_t send);

  void on_message(dist::rank from, const rank_message& m, net::payload&& data, base::thread_context& context);
  void on_matched(dist::rank from, const match_notice& m, base::thread_context& context);
  void on_cancel(dist::rank from, const message_cancellation& m, base::thread_context& context);
  void on_cancel_reply(dist::rank from, const cancellation_reply& m, base::thread_context& context);
  void on_data_request(dist::rank from, const data_request& m, base::thread_context& context);
  void on_data(dist::rank from, const withheld_data& m, net::payload&& data, base::thread_context& context);
  void on_early_return(dist::rank from, const early_return& m, base::thread_context& context);
  local_rank* find_local(std::int32_t rank);
  void request_data(waiting_message& message, dist::rank from, std::uint64_t send);
  void drop(waiting_message& message);
  bool remember(waiting_message& message);
  void forget(const waiting_message& message);

  dist::job& job_;
  // Set before messages come.
  std::vector<std::unique_ptr<peer_on_node>> peers_;  // by rank in the world
  std::map<world_rank, local_rank> locals_;
  std::int64_t most_early_bytes_of_node_ = 0;  // for one rank of another node
  std::atomic<bool> is_return_due_{false};
  base::spin_lock sends_lock_;  // guards sends_ and the counts of their parts
  base::slot_map<pending_send*> sends_;
  std::mutex arrivals_lock_;  // guards what follows
  bool is_closed_ = false;
  std::map<std::pair<dist::rank, std::uint64_t>, waiting_message*> arrivals_ = {};  // that their sender can take back
  base::slot_map<waiting_message*> awaiting_data_;
};

}  // namespace stretto::ranks
