// job.hpp - one node's part in a job of several: its transport, which number is whose, who is lost, and the protocols on top.
//
// A protocol (remote events, reservations, ...) is a class of its own: it says which messages it takes, and is told of lost
// nodes. It is made in steps, because each needs the one before: protocols add their messages; then the transport is made, which
// knows this node's rank; then the runtime's floors start under the node number that follows from it.
//
//     dist::job job(first);
//     dist::remote_events events(job);                                      // adds its messages
//     job.start([&](net::handlers& all) { return network->join(2, all); });
//     runtime.node = job.node();
//     detail::start_events(runtime);
//     events.serve(runtime);                                                // from now on, handles of other nodes work
//     while (...) job.poll();                                               // on a thread that has entered the events
//
// While every span is recorded (trace level full), a message that is counted brings along what its sender was doing: what the handler makes
// ready has that as its cause, so that arrows of a timeline go from node to node.
//
// Threads     on, add, start: the thread that makes the job, in this order, before the others. poll: one thread at a time, which
//             belongs to the runtime (base::current()); handlers and `lost` run inside it. All else: any thread.
// Invariants  (1) a message is handled once; those of one sender in the order in which they were sent, but for those over
//             net::transport::most_head_bytes, which may be overtaken. (2) a protocol is told of a lost node once, after is_lost()
//             is true, and nothing comes from that node afterwards.
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
#include "event/failure.hpp"
#include "net/transport.hpp"

namespace stretto::dist {

using base::reader;
using base::writer;

/// 0 to nodes() - 1: a node of this job, as the transport counts. Handles hold node numbers instead: see job::node_of.
using rank = net::node_number;

class protocol {
 public:
  virtual ~protocol() = default;
  /// `node` is gone, and nothing that was under way to or from it comes; job::loss_of(node) is the cause to give.
  virtual void lost(rank node, base::thread_context& context) noexcept = 0;
  /// Before anything that has come is looked at, and after it was handled, at each poll: of those that asked for it (job::add_advancing).
  virtual void begin_poll() {}
  virtual void advance(base::thread_context&) {}
};

/// One kind of message, as job::on numbers it.
enum class message_kind : std::uint16_t {};

class job {
 public:
  using handler = void (*)(void* owner, rank from, reader& content, base::thread_context& context);
  using transport_maker = std::function<std::unique_ptr<net::transport>(net::handlers&)>;

  /// Handles of node r of this job hold the number first + r; the same `first` on every node. Numbers are at most 0x7fff.
  explicit job(std::uint16_t first = 0);
  job(const job&) = delete;
  /// Ends the transport. No other thread uses the job any more.
  ~job();

  /// Whether messages of a kind are among those that counted() counts.
  enum class counted : bool { no, yes };

  /// What every node must have the same of (net/handlers.hpp). Before start.
  void must_agree(std::string what, std::string value) { handlers_.must_agree(std::move(what), std::move(value)); }
  void must_agree_on_option(std::string name, std::string value) { handlers_.must_agree_on_option(std::move(name), std::move(value)); }
  /// Who takes messages of that name, which is the same on every node and unique: "events.subscribe".
  message_kind on(std::string name, void* owner, handler f, counted is_counted = counted::yes);
  /// A member function as a handler: void f(rank from, reader& content, base::thread_context& context).
  template <auto f, class Owner>
  message_kind on(std::string name, Owner* owner, counted is_counted = counted::yes) {
    return on(std::move(name), owner, +[](void* o, rank from, reader& content, base::thread_context& context) {
      (static_cast<Owner*>(o)->*f)(from, content, context);
    }, is_counted);
  }
  /// A message of two parts: a head of at most net::transport::most_head_bytes, and a payload that goes where the handler says:
  /// void f(rank from, reader& head, net::payload&& rest, base::thread_context& context).
  using payload_handler = void (*)(void* owner, rank from, reader& head, net::payload&& rest, base::thread_context& context);
  template <auto f, class Owner>
  message_kind on_payload(std::string name, Owner* owner) {
    const message_kind made = on(std::move(name), owner, nullptr);
    entries_.back().with_rest = +[](void* o, rank from, reader& head, net::payload&& rest, base::thread_context& context) {
      (static_cast<Owner*>(o)->*f)(from, head, std::move(rest), context);
    };
    return made;
  }
  /// That node has no room for a message of a kind. The reader has its first words; of a kind that nobody takes this for, the node cannot
  /// go on without.
  using refused_handler = void (*)(void* owner, rank from, reader& first_words, failure_ref cause, base::thread_context& context);
  template <auto f, class Owner>
  static constexpr refused_handler refused_by =
      +[](void* o, rank from, reader& first_words, failure_ref cause, base::thread_context& context) {
        (static_cast<Owner*>(o)->*f)(from, first_words, std::move(cause), context);
      };
  template <auto f, class Owner>
  void on_refused(message_kind kind, Owner*) {
    entries_[static_cast<std::size_t>(kind)].refused = refused_by<f, Owner>;
  }
  /// Whether whoever gets a message of so many bytes may have no room for it, as far as this node knows.
  bool may_be_refused(std::uint64_t bytes) const noexcept { return bytes + sizeof(std::uint64_t) >= always_taken(); }
  /// Of the content that a handler of on() is given, inside it: `part`, for as long as the result lives. What is large is not copied.
  std::shared_ptr<const std::byte> keep(std::span<const std::byte> part);
  /// Whether this node has room for that many that come.
  bool has_room_for(std::uint64_t bytes) const { return bytes < always_taken() || bytes <= pressure_.most_taken(); }
  /// N18: it has none.
  failure_ref no_room_for(message_kind kind, rank from, std::uint64_t bytes) const;
  /// How much memory messages take. Before start.
  void limit(const message_limits& limits) noexcept { pressure_.set(limits); }
  back_pressure& pressure() noexcept { return pressure_; }
  /// Before a task sends something of its own will: it waits where others do not take what this node has sent.
  void hold_back(std::source_location where) {
    if (polled_by_.load(std::memory_order_relaxed) != base::current()) pressure_.hold_back(*transport_, where);
  }

  /// Who is told of lost nodes, in the order of adding.
  void add(protocol& p) { protocols_.push_back(&p); }
  /// And at each poll, too; where nothing more is taken for a while, only that it begins.
  void add_advancing(protocol& p) {
    add(p);
    advancing_.push_back(&p);
  }
  /// Handlers of other floors' own, beside those of on(). Before start.
  net::handlers& handlers() noexcept { return handlers_; }
  /// Makes the transport, and with it this node's rank. Throws what `make` throws, and N10 if numbers do not suffice.
  void start(const transport_maker& make);

  net::transport& transport() noexcept { return *transport_; }
  rank self() const noexcept { return self_; }
  std::uint32_t nodes() const noexcept { return nodes_; }
  /// This node's number, for base::runtime_context::node.
  std::uint16_t node() const noexcept { return node_of(self_); }
  std::uint16_t node_of(rank r) const noexcept { return static_cast<std::uint16_t>(first_ + r); }
  /// Whose number that is; nothing if it is none of this job's.
  std::optional<rank> rank_of(std::uint16_t node) const noexcept {
    const auto r = static_cast<std::uint32_t>(node) - first_;
    return node >= first_ && r < nodes_ ? std::optional(static_cast<rank>(r)) : std::nullopt;
  }
  /// "N2": as handles print their node.
  std::string name_of(rank r) const { return base::node_name(node_of(r)); }

  /// Sends `content` to another node or to this one; nothing if that node is lost. Never blocks.
  void send(rank to, message_kind kind, const writer& content);
  /// The same; what is large is not copied, but kept until it has gone.
  void send(rank to, message_kind kind, writer&& content);
  /// `words`, at most net::transport::most_head_bytes of them, and behind them `rest`, which `lent` holds. It is kept until it has gone, and
  /// counts as this node's memory, unless `lent` counts for itself.
  enum class counting : bool { itself, as_message };
  /// Whether the next message to that node is what it needs to take `rest` (net::message::is_followed).
  enum class followed : bool { no, yes };
  static constexpr bool is_lent(std::size_t rest) noexcept { return rest >= split_bytes; }  // else it is copied
  void send(rank to, message_kind kind, const writer& words, std::span<const std::byte> rest, std::shared_ptr<const void> lent, counting is,
            followed by_another = followed::no);
  void send(rank to, message_kind kind, writer&& words, std::vector<std::byte>&& rest);
  /// To whom on_payload was called. `rest` is lent until `sent` runs, with N05 if that node is lost.
  void send(rank to, message_kind kind, const writer& head, std::span<const std::byte> rest, places::completion& sent,
            bool from_device = false);
  bool takes_memory_of(std::string_view driver) const noexcept { return transport_->takes_memory_of(driver); }
  /// Runs what has come. Requires a thread of the runtime; returns how many things it found.
  std::size_t poll();
  /// What has been asked for is on its way into this node's memory, though no message may say so: then the node is not idle.
  bool is_landing() const noexcept { return landing_.load(std::memory_order_acquire) != 0; }
  void begin_landing() noexcept { landing_.fetch_add(1, std::memory_order_acq_rel); }
  void end_landing() noexcept { landing_.fetch_sub(1, std::memory_order_acq_rel); }
  /// Between the first message that a poll has taken, and has_acted(): what came may be about to have its effects. Any thread.
  bool acts() const noexcept { return acts_.load(std::memory_order_acquire); }
  /// Behind each poll(), when all is done that it gives rise to. On the thread that polls.
  void has_acted() noexcept { acts_.store(false, std::memory_order_release); }
  /// For `why`, that node is lost to this one, which hears it no more, although the transport may reach it. On the thread that polls.
  void part_from(rank r, const std::string& why);
  /// From inside a poll, which throws this at its end: the node cannot go on without what it has missed.
  void fail(std::exception_ptr why) noexcept { cannot_go_on_ = std::move(why); }
  /// The transport has failed, for `why`: to this node all others are lost. On the thread that polled, which polls no more.
  void give_up(const std::string& why);
  /// Messages to and from nodes that are not lost, since the start; handled: their handlers have returned.
  struct counts {
    std::uint64_t sent = 0, handled = 0;
  };
  counts messages() const noexcept;
  bool is_pending() const noexcept { return transport_->is_pending(); }
  bool is_bound_to_thread() const noexcept { return transport_->is_bound_to_thread(); }
  bool is_to_be_looked_at() const noexcept { return transport_->needs_polling(); }

  /// This node's program has ended: from now on it does only what others ask for, so that its end can be found (ending.hpp).
  void leave() noexcept { has_left_.store(true, std::memory_order_release); }
  bool has_left() const noexcept { return has_left_.load(std::memory_order_acquire); }

  bool is_lost(rank r) const noexcept { return lost_[r].load(std::memory_order_acquire); }
  /// Of the nodes that are not lost, as this one knows: who does what one node does for all.
  rank first_left() const noexcept {
    rank r = 0;
    while (r != self_ && is_lost(r)) ++r;
    return r;
  }
  /// N05, the same cause for everything that ends because of it. Requires is_lost(r).
  failure_ref loss_of(rank r) const;

 private:
  struct entry {
    job* owner_job;
    void* owner;
    handler f;
    std::string name;
    bool is_counted;
    payload_handler with_rest = nullptr;
    refused_handler refused = nullptr;
    net::handler_number number = 0, number_with_cause = 0;
  };
  struct landing;
  struct parting;
  /// The first words of longer messages go ahead, so that their receiver knows what it has no room for. And what is shorter is copied sooner
  /// than kept until it has gone.
  static constexpr std::size_t split_bytes = std::size_t{8} << 10;
  void send_lent(rank to, net::handler_number number, std::span<const std::byte> head, std::span<const std::byte> rest,
                 std::shared_ptr<const void> lent, counting is, followed by_another);
  static void arrived(void* at, net::arrival& a);
  static void arrived_with_cause(void* at, net::arrival& a);
  static void take(entry& e, net::arrival& a, bool has_cause);
  void handle(const entry& e, rank from, std::span<const std::byte> content, bool has_cause);
  void tell_lost(rank r, const std::string& why);
  /// Of shorter messages than that nobody asks whether there is room.
  std::uint64_t always_taken() const noexcept;
  void refuse(const entry& e, rank from, std::span<const std::byte> first_words, std::uint64_t bytes);
  std::exception_ptr no_room(const entry& e, rank from, std::uint64_t bytes) const;
  failure_ref failed_for(std::exception_ptr why) const;

  const std::uint16_t first_;
  net::handlers handlers_;
  std::deque<entry> entries_;
  std::vector<protocol*> protocols_, advancing_;
  back_pressure pressure_;
  std::list<landing> landings_;  // of who polls
  landing* handled_ = nullptr;   // that; null: none
  std::mutex partings_lock_;
  std::list<parting> partings_;
  std::atomic<std::size_t> landing_{0};
  std::exception_ptr cannot_go_on_;  // of who polls
  std::atomic<const base::thread_context*> polled_by_{nullptr};
  std::unique_ptr<net::transport> transport_;
  rank self_ = 0;
  std::uint32_t nodes_ = 0;
  struct alignas(64) traffic {  // with one node
    std::atomic<std::uint64_t> sent{0};
    std::atomic<std::uint64_t> handled{0};  // of who polls
  };
  std::unique_ptr<traffic[]> traffic_;
  std::unique_ptr<std::atomic<bool>[]> lost_;
  std::atomic<bool> has_left_{false}, acts_{false};
  mutable std::mutex losses_lock_;
  std::vector<failure_ref> losses_;  // by rank
};

}  // namespace stretto::dist
