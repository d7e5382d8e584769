// ordered_messages.hpp - messages that are handled in the order in which their sender sent them, whatever their size.
//
// Without this, later messages may overtake a large one (job.hpp). Ordered messages carry sequence numbers; a message
// that arrives early is kept until its predecessors have been handled.
//
// Threads     send: any of the runtime. The rest inside job::poll.
// Cost        a copy of the content on each side if the message must wait.
// Invariants  (1) messages of one node are handled in the order of their sequence numbers; for one sending thread, that
//             is the order of its calls of `send`.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "dist/job.hpp"

namespace stretto::dist {

class ordered_messages final : public protocol {
 public:
  enum class kind : std::uint8_t {};
  using handler = void (*)(void* owner, rank from, reader& content, base::thread_context& context);

  /// Before job::start.
  explicit ordered_messages(job& j);

  /// Registers the handler of a new kind. Every node must register its kinds in the same order.
  template <auto f, class Owner>
  kind on(Owner* owner) {
    owners_.push_back({owner, +[](void* o, rank from, reader& content, base::thread_context& context) {
                         (static_cast<Owner*>(o)->*f)(from, content, context);
                       }});
    return static_cast<kind>(owners_.size() - 1);
  }

  /// Registers the handler for messages of that kind that this node has no memory for (job::on_refused), also called in
  /// order.
  template <auto f, class Owner>
  void on_refused(kind is, Owner*) {
    owners_[static_cast<std::size_t>(is)].refused = job::refused_by<f, Owner>;
  }

  /// `to` must be another node.
  void send(rank to, kind is, const writer& content);

  void lost(rank node, base::thread_context& context) noexcept override;

 private:
  struct owner {
    void* is;
    handler f;
    job::refused_handler refused = nullptr;
  };
  struct waiting {
    std::vector<std::byte> bytes;  // including the kind
    failure_ref refused = {};      // set: the message was refused, and `bytes` is its prefix
  };
  struct sender {
    std::uint64_t next = 0;
    std::map<std::uint64_t, waiting> early = {};
  };
  void on_message(rank from, reader& content, base::thread_context& context);
  void on_refused_message(rank from, reader& message_prefix, failure_ref cause, base::thread_context& context);
  void deliver(rank from, reader& content, failure_ref refused, base::thread_context& context);
  void handle(rank from, reader& content, failure_ref refused, base::thread_context& context) const;

  job& job_;
  const message_kind message_;
  std::vector<owner> owners_;
  std::map<rank, sender> senders_;  // only the polling thread
  base::spin_lock lock_;            // guards what follows
  std::map<rank, std::uint64_t> sent_ = {};
};

}  // namespace stretto::dist
