// job.hpp - one node's part in a job of several nodes: the transport, ranks and node numbers, lost nodes, and the
// protocols.
//
// A protocol (remote events, reservations, ...) is a class of its own. It registers handlers for its messages and is
// notified of lost nodes. A job is made in steps, because each step needs the previous one: protocols register their
// messages; then the transport is made, which knows this node's rank; then the floors of the runtime start with the
// node number derived from it.
//
//     dist::job job(first);
//     dist::remote_events events(job);                                      // registers its messages
//     job.start([&](net::handlers& all) { return network->join(2, all); });
//     runtime.node = job.node();
//     detail::start_events(runtime);
//     events.serve(runtime);                                                // from now on, handles of other nodes work
//     while (...) job.poll();                                               // after enter_events on this thread
//
// The job ends only when all counted messages were handled (termination.hpp). All are counted whose struct does not say
// otherwise (message_type.hpp). At trace level full, a counted message also carries the id of the span that sent it.
// Work that the handler makes ready has this span as its cause, so that the arrows of a timeline go from node to node.
// The handling of each message is a span, too, under the name of its kind (message_span.hpp).
//
// Threads     on, add, start: the thread that makes the job, in this order, before other threads use it. poll: one
//             thread at a time, which belongs to the runtime (base::current()); handlers and `lost` run inside it. The
//             rest: any thread.
// Invariants  (1) a message is handled once. Messages of one sender are handled in the order in which they were sent,
//             except that those above net::transport::most_head_bytes may be overtaken. (2) a protocol is notified of a
//             lost node once, after is_lost() is true; nothing arrives from that node afterwards.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/context.hpp"
#include "base/node_numbers.hpp"
#include "dist/back_pressure.hpp"
#include "dist/job_messages.hpp"
#include "dist/message_codec.hpp"
#include "dist/message_span.hpp"
#include "dist/message_type.hpp"
#include "event/failure.hpp"
#include "net/transport.hpp"

namespace stretto::dist {

class protocol {
 public:
  virtual ~protocol() = default;
  /// `node` is lost: no message to or from it arrives any more. job::loss_of(node) is the failure to report.
  virtual void lost(rank node, base::thread_context& context) noexcept = 0;
  /// Called at each poll for protocols added by job::add_advancing: before messages are received, and after they were
  /// handled.
  virtual void begin_poll() {}
  virtual void advance(base::thread_context&) {}
};

class job {
 public:
  using transport_maker = std::function<std::unique_ptr<net::transport>(net::handlers&)>;

  /// Node r of this job has the node number first + r. `first` must be the same on every node. Numbers are at most
  /// 0x7fff.
  explicit job(std::uint16_t first = 0);
  job(const job&) = delete;
  /// Ends the transport. No other thread may use the job any more.
  ~job();

  /// Registers a value that must be equal on all nodes (net/handlers.hpp). Must be called before start.
  void must_agree(std::string what, std::string value) { handlers_.must_agree(std::move(what), std::move(value)); }
  void must_agree_on_option(std::string name, std::string value) {
    handlers_.must_agree_on_option(std::move(name), std::move(value));
  }
  /// Registers member functions as handlers, each of one message, which is a struct (message_codec.hpp):
  /// void f(rank from, const M& m, base::thread_context& context). Names of messages must be unique and the same on
  /// every node. A message that does not decode ends the connection to its sender.
  template <auto... f, class Owner>
  void on(Owner* owner) {
    (add_handler<f>(owner), ...);
  }
  /// For messages of two parts: a struct as head, of at most net::transport::most_head_bytes, and a payload for which
  /// the handler chooses the memory:
  /// void f(rank from, const M& head, net::payload&& rest, base::thread_context& context).
  template <auto f, class Owner>
  void on_payload(Owner* owner) {
    using M = message_of<decltype(f)>;
    static_assert(is_counted<M>(), "messages with a payload are counted");
    add_entry<M>(owner).decode_head_and_handle =
        +[](job& j, void* o, rank from, reader& head, net::payload&& rest, base::thread_context& context) {
          M m{};
          if (!decode_message(head, m, j.environment(from))) return false;
          (static_cast<Owner*>(o)->*f)(from, m, std::move(rest), context);
          return true;
        };
  }
  /// Registers what is called on the receiving node instead of the handler if it has no memory for a message:
  /// void f(rank from, const M& prefix, failure_ref cause, base::thread_context& context). The fields that the prefix
  /// of the message holds are set. If a message has no such handler, the node fails.
  template <auto f, class Owner>
  void on_refused(Owner*) {
    using M = message_of<decltype(f)>;
    entry& e = entries_[static_cast<std::size_t>(kind_of<M>())];
    e.refused = +[](job& j, void* o, rank from, reader& prefix, failure_ref cause, base::thread_context& context) {
      M m{};
      decode_prefix(prefix, m, j.environment(from));
      (static_cast<Owner*>(o)->*f)(from, m, std::move(cause), context);
    };
  }
  /// True if a receiver might refuse a message of that size for lack of memory.
  bool may_be_refused(std::uint64_t bytes) const noexcept {
    return bytes + sizeof(std::uint64_t) >= always_accepted_bytes();
  }
  /// Inside a handler: the result keeps `part` of the message alive. Copies it, unless the message lies in memory of
  /// its own, as large ones do. Throws std::bad_alloc.
  std::shared_ptr<const std::byte> keep(std::span<const std::byte> part);
  /// True if this node accepts a message of that size.
  bool has_room_for(std::uint64_t bytes) const {
    return bytes < always_accepted_bytes() || bytes <= pressure_.max_message_bytes();
  }
  /// The failure N18: this node has no memory for the message.
  failure_ref no_room_for(message_kind kind, rank from, std::uint64_t bytes) const;
  /// Sets how much memory messages may take. Must be called before start.
  void limit(const message_limits& limits) noexcept { pressure_.set(limits); }
  back_pressure& pressure() noexcept { return pressure_; }
  /// A task must call this before it sends a message on its own initiative. Suspends it while receivers do not keep up.
  /// Does nothing inside a poll.
  void hold_back(std::source_location where) {
    if (polled_by_.load(std::memory_order_relaxed) != base::current()) pressure_.hold_back(*transport_, where);
  }

  /// Adds a protocol to be notified of lost nodes, in the order of adding.
  void add(protocol& p) { protocols_.push_back(&p); }
  /// Also calls it at each poll. A poll that receives nothing because of back pressure calls begin_poll only.
  void add_advancing(protocol& p) {
    add(p);
    advancing_.push_back(&p);
  }
  /// For handlers that other floors register besides those of on(). Only before start.
  net::handlers& handlers() noexcept { return handlers_; }
  /// Makes the transport, which assigns this node's rank. Rethrows what `make` throws; throws N10 if the job has too
  /// many nodes.
  void start(const transport_maker& make);

  net::transport& transport() noexcept { return *transport_; }
  rank self() const noexcept { return self_; }
  std::uint32_t nodes() const noexcept { return nodes_; }
  /// This node's number, for base::runtime_context::node.
  std::uint16_t node() const noexcept { return node_of(self_); }
  std::uint16_t node_of(rank r) const noexcept { return static_cast<std::uint16_t>(first_ + r); }
  /// The rank of a node number; nothing if it is not of this job.
  std::optional<rank> rank_of(std::uint16_t node) const noexcept {
    const auto r = static_cast<std::uint32_t>(node) - first_;
    return node >= first_ && r < nodes_ ? std::optional(static_cast<rank>(r)) : std::nullopt;
  }
  /// True for the number of another node of this job.
  bool reaches(std::uint16_t node) const noexcept {
    const auto r = rank_of(node);
    return r && *r != self_;
  }
  /// "N2", as handles print their node.
  std::string name_of(rank r) const { return base::node_name(node_of(r)); }

  /// How bytes that are lent to the job count in the back pressure. as_message: the job counts them until they have
  /// been sent. itself: the caller has counted them already.
  enum class counting : bool { itself, as_message };
  /// yes: the receiver takes the payload only when it handles the next message to it (net::message::is_followed).
  enum class followed : bool { no, yes };
  /// True if so many bytes at the end of a message are lent: kept until they have been sent, instead of copied.
  static constexpr bool is_lent(std::size_t rest) noexcept { return rest >= split_bytes; }  // smaller ones are copied

  /// Sends a message to a node, which may be this one. Does nothing if that node has failed. Never blocks. Throws N03
  /// if the struct has no handler (on).
  template <message_struct M>
  void send(rank to, const M& m) {
    send(to, kind_of<M>(), m);
  }
  template <message_struct M>
  void send(rank to, message_kind kind, const M& m) {
    writer content;
    encode_message(content, m, environment(self_));
    send(to, kind, std::move(content));
  }
  /// The same for a message whose last field is a span of the bytes of `owner`, which are not copied if is_lent.
  template <message_struct M>
  void send(rank to, const M& m, std::vector<std::byte>&& owner) {
    writer content;
    const std::span<const std::byte> last = encode_head(content, m, environment(self_));
    if (is_lent(last.size())) {
      const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(owner));
      return send(to, kind_of<M>(), content, last, kept, counting::as_message);
    }
    content.put_bytes(last);
    send(to, kind_of<M>(), std::move(content));
  }
  /// The same; `lent` keeps the bytes of the last field alive until they have been sent.
  template <message_struct M>
  void send(rank to, const M& m, std::shared_ptr<const void> lent, counting is, followed by_another = followed::no) {
    writer head;
    const std::span<const std::byte> last = encode_head(head, m, environment(self_));
    send(to, kind_of<M>(), head, last, std::move(lent), is, by_another);
  }
  /// For kinds registered by on_payload: `payload` follows the struct. `lent` keeps it alive until it has been sent.
  template <message_struct M>
  void send(rank to, const M& head, std::span<const std::byte> payload, std::shared_ptr<const void> lent, counting is,
            followed by_another = followed::no) {
    writer fields;
    encode_message(fields, head, environment(self_));
    send(to, kind_of<M>(), fields, payload, std::move(lent), is, by_another);
  }
  /// The same; `payload` must stay valid until `sent` runs, which it does with N05 if that node is lost. `from_device`:
  /// it lies in memory of a device.
  template <message_struct M>
  void send(rank to, const M& head, std::span<const std::byte> payload, places::completion& sent,
            bool from_device = false) {
    writer fields;
    encode_message(fields, head, environment(self_));
    send(to, kind_of<M>(), fields, payload, sent, from_device);
  }
  /// Throws N03 if the struct has no handler.
  template <message_struct M>
  message_kind kind_of() const {
    const message_kind kind = kinds_of_types_.at(type_number_of<M>());
    if (kind == kinds_of_types::none) [[unlikely]]
      fail_without_handler(M::message);
    return kind;
  }
  /// Throws N03.
  [[noreturn]] void fail_without_handler(std::string_view message) const;
  /// The environment of the fields of a message from that sender.
  message_environment environment(rank sender) const noexcept { return {first_, nodes_, sender, failures_}; }
  /// Failures in messages are written and read by it. Before start.
  void set_failure_fields(failure_fields& all) noexcept { failures_ = &all; }
  /// All kinds of messages, for checks of their fields. Valid after the job.
  std::vector<message_type> message_types() const;
  /// Adds one to message_types(): of a struct that is sent inside other messages (ordered_messages.hpp).
  void add_message_type(const message_type& t) { inner_types_.push_back(t); }
  /// Disconnects from a node that has sent what does not decode: its program is another, or its memory is overwritten.
  void refuse_malformed(std::string_view message, rank from);
  /// The same for a message that no handler of this node takes, "number 731".
  void refuse_unknown(const std::string& which, rank from);

  /// Sends `content` to a node, which may be this one. Does nothing if that node has failed. Never blocks.
  void send(rank to, message_kind kind, const writer& content);
  /// The same; large content is not copied, but kept until it has been sent.
  void send(rank to, message_kind kind, writer&& content);
  /// Sends `head` (at most net::transport::most_head_bytes) followed by `rest`, whose memory `lent` keeps alive until
  /// it has been sent.
  void send(rank to, message_kind kind, const writer& head, std::span<const std::byte> rest,
            std::shared_ptr<const void> lent, counting is, followed by_another = followed::no);
  /// For kinds registered by on_payload. `rest` must stay valid until `sent` runs; it runs with N05 if that node
  /// has failed.
  void send(rank to, message_kind kind, const writer& head, std::span<const std::byte> rest, places::completion& sent,
            bool from_device = false);
  /// True if payloads may lie in memory of that driver's devices ("cuda").
  bool takes_memory_of(std::string_view driver) const noexcept { return transport_->takes_memory_of(driver); }
  /// Receives and handles messages. Requires a thread of the runtime. Returns how many events it has processed.
  std::size_t poll();
  /// True while requested data is being written to this node's memory. The node is not idle then, although no message
  /// may be pending.
  bool has_incoming_data() const noexcept { return incoming_transfers_.load(std::memory_order_acquire) != 0; }
  void begin_incoming() noexcept { incoming_transfers_.fetch_add(1, std::memory_order_acq_rel); }
  void end_incoming() noexcept { incoming_transfers_.fetch_sub(1, std::memory_order_acq_rel); }
  /// True from the first message that a poll receives until end_handling_messages(): its effects may be incomplete. Any
  /// thread.
  bool is_handling_messages() const noexcept { return is_handling_messages_.load(std::memory_order_acquire); }
  /// The kind of the message that is being handled or was handled last, for hang reports; null: none yet. Any thread.
  const char* handled_kind() const noexcept { return handled_kind_.load(std::memory_order_relaxed); }
  /// `kind` must stay valid. Polling thread.
  void set_handled_kind(const char* kind) noexcept { handled_kind_.store(kind, std::memory_order_relaxed); }
  /// Must be called after each poll(), once all its consequences have been handled. Polling thread.
  void end_handling_messages() noexcept { is_handling_messages_.store(false, std::memory_order_release); }
  /// Treats that node as lost from now on, although the transport may still reach it, and has that node do the same.
  /// Polling thread.
  void disconnect_from(rank r, const std::string& why);
  /// Makes the current poll throw `why` at its end: this node cannot continue without a message that it could not
  /// receive.
  void fail(std::exception_ptr why) noexcept { fatal_error_ = std::move(why); }
  /// The transport has failed because of `why`: all other nodes are lost to this one. On the polling thread, which must
  /// not poll again.
  void disconnect_from_all(const std::string& why);
  /// Counted messages since the start. A message is handled when its handler has returned. When a node
  /// has failed, messages to and from it do not count any more. Instead, the failure adds the same number to both
  /// counts, more than these messages did. So no count ever decreases. Equal counts at two times prove that in between
  /// this node has sent and handled nothing, and that no other node has failed for it.
  struct counts {
    std::uint64_t sent = 0, handled = 0;
  };
  counts messages() const noexcept;
  /// True if poll() may find something.
  bool is_pending() const noexcept { return transport_->is_pending(); }
  /// True if polls make progress only on the thread that made the transport.
  bool is_bound_to_thread() const noexcept { return transport_->is_bound_to_thread(); }
  /// True if only polls find messages: an idle worker should poll for a while before it sleeps.
  bool needs_polling() const noexcept { return transport_->needs_polling(); }

  /// This node's program has ended. From now on the node only serves requests of others (termination.hpp).
  void leave() noexcept { has_left_.store(true, std::memory_order_release); }
  bool has_left() const noexcept { return has_left_.load(std::memory_order_acquire); }

  bool is_lost(rank r) const noexcept { return lost_[r].load(std::memory_order_acquire); }
  /// The first node that is not lost, as far as this node knows: it coordinates termination, balancing and hang
  /// detection.
  rank coordinator() const noexcept {
    rank r = 0;
    while (r != self_ && is_lost(r)) ++r;
    return r;
  }
  /// The failure N05, one object for everything that ends because of this loss. Requires is_lost(r).
  failure_ref loss_of(rank r) const;

 private:
  /// A kind of message.
  struct entry {
    job* owner_job;
    void* owner;
    const message_type* type;
    bool is_counted;
    std::string name;
    bool (*decode_head_and_handle)(job&, void*, rank, reader&, net::payload&&, base::thread_context&) = nullptr;
    bool (*decode_and_handle)(job&, void*, rank, reader&, base::thread_context&) = nullptr;
    void (*refused)(job&, void*, rank, reader&, failure_ref, base::thread_context&) = nullptr;
    net::handler_number number = 0, number_with_cause = 0;  // the latter is for messages that carry a span
    traced_name in_trace = {};                              // only the polling thread
  };
  struct incoming_message;
  struct retained_payload;
  template <message_struct M>
  entry& add_entry(void* owner) {
    kinds_of_types_.set(type_number_of<M>(), static_cast<message_kind>(entries_.size()));
    return add_entry(owner, message_type_of<M>, is_counted<M>());
  }
  entry& add_entry(void* owner, const message_type& type, bool is_counted);
  template <auto f, class Owner>
  void add_handler(Owner* owner) {
    using M = message_of<decltype(f)>;
    add_entry<M>(owner).decode_and_handle =
        +[](job& j, void* o, rank from, reader& content, base::thread_context& context) {
          M m{};
          if (!decode_message(content, m, j.environment(from))) return false;
          (static_cast<Owner*>(o)->*f)(from, m, context);
          return true;
        };
  }
  /// Longer messages are sent as a prefix and a payload, so that the receiver can identify a message that it has no
  /// memory for. Shorter content is copied, which is cheaper than keeping it until it has been sent.
  static constexpr std::size_t split_bytes = std::size_t{8} << 10;
  void send_lent(rank to, net::handler_number number, std::span<const std::byte> head, std::span<const std::byte> rest,
                 std::shared_ptr<const void> lent, counting is, followed by_another);
  static void on_arrival(void* at, net::arrival& a);
  static void on_arrival_with_cause(void* at, net::arrival& a);
  static void receive(entry& e, net::arrival& a, bool has_cause);
  void handle(entry& e, rank from, std::span<const std::byte> content, bool has_cause);
  void on_disconnection(rank from, const node_disconnection& m, base::thread_context& context);
  void report_loss(rank r, const std::string& why);
  /// Messages below this size are accepted without a check of the free memory.
  std::uint64_t always_accepted_bytes() const noexcept;
  void refuse(const entry& e, rank from, std::span<const std::byte> message_prefix, std::uint64_t bytes);
  std::exception_ptr no_room(const entry& e, rank from, std::uint64_t bytes) const;
  failure_ref failure_of_message(std::exception_ptr why) const;

  const std::uint16_t first_;
  net::handlers handlers_;
  std::deque<entry> entries_;
  kinds_of_types kinds_of_types_;
  std::vector<message_type> inner_types_;
  failure_fields* failures_ = nullptr;
  std::vector<protocol*> protocols_, advancing_;
  back_pressure pressure_;
  std::list<incoming_message> incoming_messages_;  // only the polling thread
  incoming_message* handled_ = nullptr;            // the one that is being handled, or null
  std::mutex retained_payloads_lock_;
  std::list<retained_payload> retained_payloads_;  // lent bytes that have not been sent yet
  std::atomic<std::size_t> incoming_transfers_{0};
  std::exception_ptr fatal_error_;                               // only the polling thread
  std::atomic<const base::thread_context*> polled_by_{nullptr};  // the thread inside poll(); null: none
  std::unique_ptr<net::transport> transport_;
  rank self_ = 0;
  std::uint32_t nodes_ = 0;
  struct alignas(64) traffic {  // with one node
    std::atomic<std::uint64_t> sent{0};
    std::atomic<std::uint64_t> handled{0};  // only the polling thread
  };
  std::unique_ptr<traffic[]> traffic_;
  std::unique_ptr<std::atomic<bool>[]> lost_;
  std::atomic<bool> has_left_{false}, is_handling_messages_{false};
  mutable std::mutex losses_lock_;
  std::vector<failure_ref> losses_;                 // by rank
  std::atomic<const char*> handled_kind_{nullptr};  // of a message
};

}  // namespace stretto::dist
