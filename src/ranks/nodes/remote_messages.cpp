// remote_messages.cpp - the sending side: what is copied, packed or lent; the receiving side: where the data goes.
#include "ranks/nodes/remote_messages.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "ranks/messages/device_message.hpp"
#include "ranks/messages/send_buffer.hpp"
#include "ranks/messages/shared_copy.hpp"
#include "ranks/messages/usage_observer.hpp"

namespace stretto::ranks {

namespace {

using bytes = std::vector<std::byte>;

constexpr std::int64_t least_early_bytes = std::int64_t{1} << 20;  // for messages of a node to a rank, of many nodes

bytes copied(const data_part& data) {
  bytes all(static_cast<std::size_t>(data.bytes()));
  copy_part({all.data(), data.bytes()}, data);
  return all;
}

std::int64_t size_of(const net::payload& data) { return static_cast<std::int64_t>(data.bytes()); }

}  // namespace

class remote_messages::peer_on_node final : public remote_peer {
 public:
  peer_on_node(remote_messages& by, dist::rank at, world_rank of_world) : node(at), rank(of_world), of_(by) {}
  void start_send(message_request& send) override { of_.start_send(*this, send); }
  void cancel_send(message_request& send) override { of_.cancel_send(node, rank, send); }
  world_rank number() const override { return rank; }

  const dist::rank node;
  const world_rank rank;
  sent_early early;

 private:
  remote_messages& of_;
};

/// A send that is not complete. Its parts: the data has been sent, once it is asked for if it is withheld; a receive
/// has taken the message, in synchronous mode; the reply to a cancellation.
struct remote_messages::pending_send final : places::completion {
  pending_send(remote_messages& by, message_request& s)
      : completion(data_is_sent), of(by), send(s), parts(s.mode == send_mode::synchronous ? 2 : 1) {
    if (!s.data.is_dense()) packed = copied(s.data);
  }
  static void data_is_sent(work_item& item) noexcept {
    auto& ended = static_cast<pending_send&>(item);
    if (ended.failure) ended.send.status.error = error_class::other;
    ended.of.end_part(ended);
  }
  std::span<const std::byte> data() const {
    return packed.empty() ? std::span<const std::byte>(send.data.address(), static_cast<std::size_t>(send.data.bytes()))
                          : packed;
  }

  remote_messages& of;
  message_request& send;
  std::uint64_t key = 0;
  int parts;               // that have not ended
  std::uint64_t span = 0;  // as in the message
  bool is_withheld = false;
  bytes packed;
};

/// A message that has come and needs more than a copy: its data has not come, or its sender waits for the match.
class remote_messages::waiting_message final : public remote_message, places::completion {
 public:
  waiting_message(remote_messages& by, dist::rank from, const rank_message& m, net::payload&& data)
      : remote_message({context_number(m.context), m.source, m.tag},
                       m.withheld_bytes < 0 ? size_of(data) : m.withheld_bytes),
        completion(data_is_here),
        of_(by),
        from_(from),
        to_(m.to),
        send_(m.send),
        span_(m.span),
        is_synchronous_(m.is_synchronous != 0),
        is_withheld_(m.withheld_bytes >= 0) {
    if (is_withheld_) return;
    if (data.is_here()) copy_.assign(data.here().begin(), data.here().end());
    else data_.emplace(std::move(data));
  }
  std::pair<dist::rank, std::uint64_t> key() const { return {from_, send_}; }
  std::int32_t to() const { return to_; }
  bool is_withheld() const { return is_withheld_; }

  void receive_into(message_request& receive) override {
    of_.forget(*this);
    if (is_synchronous_) of_.job_.send(from_, match_notice{send_});
    receive_ = &receive;
    if (is_withheld_) of_.request_data(*this, from_, send_);
    else receive_data();
  }
  /// Withheld data has come.
  void take(net::payload&& data) {
    if (data.is_here()) copy_.assign(data.here().begin(), data.here().end());
    else data_.emplace(std::move(data));
    receive_data();
  }
  void abandon() noexcept override {
    of_.forget(*this);
    delete this;
  }

 private:
  void receive_data() {
    if (!data_) return finish();
    message_request& receive = *receive_;
    const bool goes_there = receive.data.is_dense() && receive.data.bytes() >= bytes;
    if (!goes_there) copy_.resize(static_cast<std::size_t>(bytes));
    of_.job_.begin_incoming();
    std::move(*data_).receive(goes_there ? receive.data.address() : copy_.data(), *this);
  }
  static void data_is_here(work_item& item) noexcept {
    auto& message = static_cast<waiting_message&>(static_cast<completion&>(item));
    message.of_.job_.end_incoming();
    message.finish();
  }
  void finish() {
    message_request& receive = *receive_;
    if (!failure && !copy_.empty() && need_driver(receive.data, {}))
      return start_device_message(receive, match, {copy_.data(), bytes}, [this](error_class) { delete this; });
    const std::int64_t received = std::min(receive.data.bytes(), bytes);
    if (!copy_.empty()) copy_part(receive.data, {copy_.data(), bytes});
    const error_class error = failure                  ? error_class::other
                              : received < this->bytes ? error_class::truncate
                                                       : error_class::success;
    receive.status = {match.source(), match.tag(), error, false, received, bytes};
    const caused_by_span cause(span_);
    delete this;
    end_message(receive);
  }

  remote_messages& of_;
  const dist::rank from_;
  const std::int32_t to_;
  const std::uint64_t send_, span_;
  const bool is_synchronous_, is_withheld_;
  std::optional<net::payload> data_;  // that has not come with the message
  ranks::bytes copy_;
  message_request* receive_ = nullptr;
};

remote_messages::remote_messages(dist::job& j) : job_(j) {
  using self = remote_messages;
  j.on_payload<&self::on_message>(this);
  j.on_payload<&self::on_data>(this);
  j.on<&self::on_matched, &self::on_cancel, &self::on_cancel_reply, &self::on_data_request, &self::on_early_return>(
      this);
  j.add_advancing(*this);
}

remote_messages::~remote_messages() = default;

void remote_messages::use(const rank_map& map) {
  for (int r = 0; r < map.ranks(); ++r) {
    const auto node = static_cast<dist::rank>(map.node_of(world_rank{r}));
    peers_.push_back(std::make_unique<peer_on_node>(*this, node, world_rank{r}));
  }
  most_early_bytes_of_node_ = std::max(least_early_bytes, most_early_bytes / std::max(1, map.nodes() - 1));
}

void remote_messages::set_mailbox(world_rank rank, mailbox& box) {
  local_rank& one = locals_[rank];
  one.box = &box;
  one.early = std::make_unique<received_early[]>(job_.nodes());
  for (dist::rank node = 0; node < job_.nodes(); ++node)
    one.early[node].begin(most_early_bytes_of_node_ / 4, is_return_due_);
}

remote_peer& remote_messages::reach(world_rank rank) { return *peers_[static_cast<std::size_t>(rank)]; }

// All sends end with the transport's completions; the job ends anyway.
void remote_messages::lost(dist::rank, base::thread_context&) noexcept {}

void remote_messages::start_send(peer_on_node& to, message_request& send) {
  rank_message head{.to = static_cast<std::int32_t>(to.rank),
                    .source = send.match.source(),
                    .tag = send.match.tag(),
                    .context = static_cast<std::uint32_t>(send.match.context())};
  if (usage_observer::installed) [[unlikely]]
    usage_observer::installed->sends(head);
  if (send.mode == send_mode::buffered) return send_copy(to.node, head, send);
  const bool is_small = send.data.bytes() <= eager_bytes && send.mode != send_mode::synchronous;
  if (is_small && to.early.try_add(send.data.bytes(), most_early_bytes_of_node_)) {
    head.is_early = 1;
    return send_copy(to.node, head, send);
  }
  pending_send& pending = add_pending(send);
  pending.span = head.span;
  head.send = pending.key;
  head.is_synchronous = send.mode == send_mode::synchronous;
  if (!is_small) return job_.send(to.node, head, pending.data(), pending);
  pending.is_withheld = true;
  head.withheld_bytes = send.data.bytes();
  job_.send(to.node, head, std::span<const std::byte>(), nullptr, dist::job::counting::itself);
}

/// The request is active afterwards.
remote_messages::pending_send& remote_messages::add_pending(message_request& send) {
  auto* const pending = new pending_send(*this, send);
  send.status = {};
  send.wait_for_match();
  const std::scoped_lock lock(sends_lock_);
  pending->key = sends_.add(static_cast<pending_send*>(pending));
  return *pending;
}

remote_messages::pending_send* remote_messages::find_pending(std::uint64_t send) {
  const std::scoped_lock lock(sends_lock_);
  pending_send* const* const found = sends_.find(send);
  return found ? *found : nullptr;
}

void remote_messages::on_data_request(dist::rank from, const data_request& m, base::thread_context&) {
  pending_send* const pending = find_pending(m.send);
  if (!pending) return job_.refuse_malformed(m.message, from);
  job_.send(from, withheld_data{m.receive}, pending->data(), *pending);
}

void remote_messages::request_data(waiting_message& message, dist::rank from, std::uint64_t send) {
  job_.begin_incoming();
  std::uint64_t receive = 0;
  {
    const std::scoped_lock lock(arrivals_lock_);
    receive = awaiting_data_.add(&message);
  }
  job_.send(from, data_request{send, receive});
}

void remote_messages::on_data(dist::rank from, const withheld_data& m, net::payload&& data, base::thread_context&) {
  waiting_message* message = nullptr;
  {
    const std::scoped_lock lock(arrivals_lock_);
    if (waiting_message* const* const found = awaiting_data_.find(m.receive)) message = *found;
    awaiting_data_.erase(m.receive);
  }
  if (!message) return job_.refuse_malformed(m.message, from);
  job_.end_incoming();
  message->take(std::move(data));
}

void remote_messages::send_copy(dist::rank node, const rank_message& head, message_request& send) {
  send_buffer* const buffer = send.mode == send_mode::buffered ? send.buffer : nullptr;
  if (buffer) buffer->reserve(send.data.bytes());
  auto* const copy = new bytes(copied(send.data));
  const std::shared_ptr<const bytes> lent(copy, [buffer](const bytes* sent) {
    if (buffer) buffer->release(static_cast<std::int64_t>(sent->size()));
    delete sent;
  });
  send.activate_done();
  job_.send(node, head, *copy, lent, dist::job::counting::as_message);
}

void remote_messages::end_part(pending_send& pending) {
  {
    const std::scoped_lock lock(sends_lock_);
    if (--pending.parts > 0) return;
    sends_.erase(pending.key);
  }
  message_request& send = pending.send;
  const caused_by_span cause(pending.span);
  delete &pending;
  end_message(send);
}

void remote_messages::cancel_send(dist::rank node, world_rank to, message_request& send) {
  std::uint64_t found = 0;
  {
    const std::scoped_lock lock(sends_lock_);
    sends_.for_each([&](std::uint64_t key, pending_send* pending) {
      if (&pending->send != &send) return;
      ++pending->parts;
      found = key;
    });
  }
  if (found) job_.send(node, message_cancellation{static_cast<std::int32_t>(to), found});
}

remote_messages::local_rank* remote_messages::find_local(std::int32_t rank) {
  const auto found = locals_.find(world_rank{rank});
  return found == locals_.end() ? nullptr : &found->second;
}

void remote_messages::on_message(dist::rank from, const rank_message& m, net::payload&& data, base::thread_context&) {
  local_rank* const to = find_local(m.to);
  if (!to) return job_.refuse_malformed(m.message, from);
  const delivery_from_node observed(m);
  if (m.send == 0 && data.is_here())
    return to->box->deliver_copy({context_number(m.context), m.source, m.tag}, {data.here().data(), size_of(data)},
                                 m.is_early ? &to->early[from] : nullptr);
  auto* const message = new waiting_message(*this, from, m, std::move(data));
  if (remember(*message)) to->box->deliver(*message);
  else drop(*message);
}

/// No rank receives it any more. The send whose data is withheld ends.
void remote_messages::drop(waiting_message& message) {
  if (message.is_withheld()) job_.send(message.key().first, match_notice{message.key().second});
  message.abandon();
}

void remote_messages::advance(base::thread_context&) {
  if (!is_return_due_.load(std::memory_order_relaxed)) return;
  is_return_due_.store(false, std::memory_order_relaxed);
  for (auto& [rank, one] : locals_)
    for (dist::rank node = 0; node < job_.nodes(); ++node)
      if (const std::int64_t bytes = one.early[node].take_due())
        job_.send(node, early_return{static_cast<std::int32_t>(rank), bytes});
}

void remote_messages::on_early_return(dist::rank from, const early_return& m, base::thread_context&) {
  const auto at = static_cast<std::size_t>(m.to);
  if (at >= peers_.size() || peers_[at]->node != from) return job_.refuse_malformed(m.message, from);
  peers_[at]->early.subtract(m.bytes);
}

/// False if no rank of this node can receive it any more.
bool remote_messages::remember(waiting_message& message) {
  const std::scoped_lock lock(arrivals_lock_);
  if (!is_closed_) arrivals_[message.key()] = &message;
  return !is_closed_;
}

void remote_messages::close() {
  std::vector<waiting_message*> left;
  {
    const std::scoped_lock lock(arrivals_lock_);
    is_closed_ = true;
    for (const auto& [key, message] : arrivals_)
      if (find_local(message->to())->box->try_withdraw(*message)) left.push_back(message);
  }
  for (waiting_message* const message : left) drop(*message);
}

void remote_messages::forget(const waiting_message& message) {
  const std::scoped_lock lock(arrivals_lock_);
  arrivals_.erase(message.key());
}

void remote_messages::on_matched(dist::rank, const match_notice& m, base::thread_context&) {
  if (pending_send* const found = find_pending(m.send)) end_part(*found);
}

void remote_messages::on_cancel(dist::rank from, const message_cancellation& m, base::thread_context&) {
  waiting_message* taken = nullptr;
  local_rank* const to = find_local(m.to);
  if (!to) return job_.refuse_malformed(m.message, from);
  {
    const std::scoped_lock lock(arrivals_lock_);
    const auto found = arrivals_.find({from, m.send});
    if (found != arrivals_.end() && to->box->try_withdraw(*found->second)) taken = found->second;
  }
  job_.send(from, cancellation_reply{m.send, taken != nullptr});
  if (taken) taken->abandon();
}

void remote_messages::on_cancel_reply(dist::rank, const cancellation_reply& m, base::thread_context&) {
  pending_send* found = nullptr;
  {
    const std::scoped_lock lock(sends_lock_);
    pending_send* const* const pending = sends_.find(m.send);
    if (!pending) return;
    found = *pending;
    found->send.status.is_cancelled = m.is_cancelled;
    // Nothing takes the message any more.
    if (m.is_cancelled && (found->send.mode == send_mode::synchronous || found->is_withheld)) --found->parts;
  }
  end_part(*found);
}

}  // namespace stretto::ranks
