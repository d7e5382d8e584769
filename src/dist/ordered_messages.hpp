// ordered_messages.hpp - messages that are handled in the order in which their sender sent them, whatever their size.
//
// Without this, later messages may overtake a large one (job.hpp). Ordered messages carry sequence numbers; a message
// that arrives early is kept until its predecessors have been handled.
//
// Threads     on, on_refused: the thread that makes the job, before job::start. send: any of the runtime. The rest
//             inside job::poll.
// Cost        the sender copies all fields. The receiver copies a message that arrives early.
// Invariants  (1) messages of one node are handled in the order of their sequence numbers; for one sending thread, that
//             is the order of its calls of `send`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "dist/job.hpp"

namespace stretto::dist {

/// Carries another message, which is handled after the sender's earlier ones.
struct sequenced_message {
  static constexpr std::string_view message = "ordered_messages";
  std::uint64_t number = 0;  // of this message among those from its sender to its receiver
  std::uint8_t kind = 0;     // the place of its handler in the order of registration
  std::span<const std::byte> fields = {};
};

class ordered_messages final : public protocol {
 public:
  /// Must be made before job::start.
  explicit ordered_messages(job& j);

  /// Registers the handler of a struct, as job::on. Every node must register its handlers in the same order.
  template <auto f, class Owner>
  void on(Owner* owner) {
    using M = message_of<decltype(f)>;
    const auto decode_and_handle = +[](job& j, void* o, rank from, reader& fields, base::thread_context& context) {
      M m{};
      if (!decode_message(fields, m, j.environment(from))) return j.refuse_malformed(M::message, from);
      (static_cast<Owner*>(o)->*f)(from, m, context);
    };
    entries_.push_back({owner, type_number_of<M>(), M::message, decode_and_handle});
    job_.add_message_type(message_type_of<M>);
  }

  /// Registers the handler for messages of that struct that this node has no memory for, as job::on_refused. It is also
  /// called in order.
  template <auto f, class Owner>
  void on_refused(Owner*) {
    using M = message_of<decltype(f)>;
    entries_[kind_of<M>()].refused =
        +[](job& j, void* o, rank from, reader& prefix, failure_ref cause, base::thread_context& context) {
          M m{};
          decode_prefix(prefix, m, j.environment(from));
          (static_cast<Owner*>(o)->*f)(from, m, std::move(cause), context);
        };
  }

  /// `to` must be another node. Throws N03 if the struct has no handler (on).
  template <message_struct M>
  void send(rank to, const M& m) {
    writer content;
    encode_message(content, sequenced_message{.kind = kind_of<M>()}, job_.environment(job_.self()));
    encode_message(content, m, job_.environment(job_.self()));
    send_numbered(to, std::move(content));
  }

  void lost(rank node, base::thread_context& context) noexcept override;

 private:
  struct entry {
    void* owner;
    std::uint32_t type;  // type_number_of
    std::string_view name;
    void (*decode_and_handle)(job&, void* owner, rank from, reader& fields, base::thread_context& context);
    // null: if this node has no memory for such a message, the node fails
    void (*refused)(job&, void* owner, rank from, reader& prefix, failure_ref, base::thread_context&) = nullptr;
    traced_name in_trace = {};
  };
  /// A message that has arrived early.
  struct waiting {
    std::uint8_t kind;
    std::vector<std::byte> fields;
    failure_ref refused = {};  // set: this node has no memory for the message, and `fields` is its prefix
  };
  struct sender {
    std::uint64_t next = 0;                       // number of the message to handle next
    std::map<std::uint64_t, waiting> early = {};  // by number
  };
  template <message_struct M>
  std::uint8_t kind_of() const {
    const auto found = std::ranges::find(entries_, type_number_of<M>(), &entry::type);
    if (found == entries_.end()) job_.fail_without_handler(M::message);
    return static_cast<std::uint8_t>(found - entries_.begin());
  }
  /// Sets the number of the message that `content` holds.
  void send_numbered(rank to, writer&& content);
  void on_message(rank from, const sequenced_message& m, base::thread_context& context);
  void on_refused_message(rank from, const sequenced_message& prefix, failure_ref cause, base::thread_context& context);
  /// Handles the message, and then the early ones that follow it; or keeps the message if it is early itself.
  void deliver(rank from, const sequenced_message& m, failure_ref refused, base::thread_context& context);
  void handle(rank from, std::uint8_t kind, std::span<const std::byte> fields, failure_ref refused,
              base::thread_context& context);

  job& job_;
  std::vector<entry> entries_;
  std::map<rank, sender> senders_;           // only the polling thread
  base::spin_lock lock_;                     // guards what follows
  std::map<rank, std::uint64_t> sent_ = {};  // by receiver: number of the next message to it
};

}  // namespace stretto::dist
