// remote_messages.hpp - messages between ranks of different nodes.
//
// Every message is one active message of the transport, whose handler matches it in the order of sending. A small
// payload travels with it. A large one stays with the sender until a receive takes the message, and then goes to the
// receive buffer directly. So a rendezvous needs no message of ours.
//
// Messages    message: a rank's message. matched: a synchronous send has its receive. cancel, cancel_reply: the sender
//             takes a message back.
// Threads     on the sending side any; handlers inside job::poll; a receive that takes a message that waits: any.
// Memory      messages up to eager_bytes, and buffered ones, are copied by the sender. Data that is not dense is packed
//             there, and unpacked by the receiver.
// Invariants  (1) messages between two ranks are matched in the order of the calls. (2) a send is complete once its
//             data may be changed and, in synchronous mode, a receive has taken it.
#pragma once

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
  void set_mailbox(world_rank rank, mailbox& box) { mailboxes_[rank] = &box; }
  /// A rank of another node.
  remote_peer& reach(world_rank rank);
  /// All ranks of this node have ended: drops the messages that they have not received, and later ones.
  void close();

  void lost(dist::rank node, base::thread_context& context) noexcept override;

 private:
  class peer_on_node;
  struct pending_send;
  class waiting_message;

  void start_send(dist::rank node, world_rank to, message_request& send);
  void send_copy(dist::rank node, const rank_message& head, message_request& send);
  void cancel_send(dist::rank node, world_rank to, message_request& send);
  void end_part(pending_send& send);

  void on_message(dist::rank from, const rank_message& m, net::payload&& data, base::thread_context& context);
  void on_matched(dist::rank from, const match_notice& m, base::thread_context& context);
  void on_cancel(dist::rank from, const message_cancellation& m, base::thread_context& context);
  void on_cancel_reply(dist::rank from, const cancellation_reply& m, base::thread_context& context);
  mailbox* mailbox_of(std::int32_t rank) const;
  bool remember(waiting_message& message);
  void forget(const waiting_message& message);

  dist::job& job_;
  // Set before messages come.
  std::vector<peer_on_node> peers_;  // by rank in the world
  std::map<world_rank, mailbox*> mailboxes_;
  base::spin_lock sends_lock_;  // guards sends_ and the counts of their parts
  base::slot_map<pending_send*> sends_;
  std::mutex arrivals_lock_;  // guards what follows
  bool is_closed_ = false;
  std::map<std::pair<dist::rank, std::uint64_t>, waiting_message*> arrivals_ = {};  // that their sender can take back
};

}  // namespace stretto::ranks
