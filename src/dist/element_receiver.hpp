// element_receiver.hpp - elements that come from other nodes, on their way into an instance of this one.
//
// A piece that is dense here as well, in memory of the host, lands where it shall be; all others land in a buffer and are copied or
// reduced from there. Until the target exists pieces wait where they are: large ones at their sender. What one question asks for may have
// a target that is named when the first of it comes. What is offered (offers.hpp) is copied from where it lies once the target is there, or
// asked for in pieces.
//
// Threads     handlers inside job::poll; the rest on any thread of the runtime.
// Invariants  (1) nothing is written unless the target has all elements of the operation. (2) each operation is answered once: when all
//             of its pieces are in place, or dropped. Of what goes to a posted instance both hold for each piece.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "data/attachments.hpp"
#include "dist/element_piece.hpp"
#include "dist/instance_names.hpp"
#include "dist/offers.hpp"
#include "dist/posted_instances.hpp"

namespace stretto::dist {

class element_receiver {
 public:
  /// Before job::start.
  element_receiver(job& j, failures& causes, questions& q, instance_names& names, posted_instances& posted, offers& o);

  message_kind piece() const noexcept { return piece_; }
  message_kind abandoned() const noexcept { return abandoned_; }

  /// Elements are on their way into memory: then the node is not idle, though no message may say so.
  bool is_landing() const noexcept { return landing_.load(std::memory_order_acquire) != 0; }

  /// What others take for the target of elements whose target this node names when they come.
  static detail::instance_handle named_later(std::uint16_t node) noexcept { return {nullptr, std::uint64_t{node} << 48}; }
  /// Of such elements, which that question of this node asks for, until it has ended.
  void expect(std::uint64_t question, data::destination::asked target);
  void forget(std::uint64_t question) noexcept;

  void lost(rank node, base::thread_context& context) noexcept;
  /// Some elements of it have come from that node, and not all of those are in place: it is answered when they are.
  bool is_arriving(const question& q, rank from);

 private:
  struct arriving;
  struct landed;
  struct held_piece {
    element_piece is;
    net::payload rest;
    std::shared_ptr<data::staging_buffer> here = {};  // what came with its head, if it has to wait
    std::shared_ptr<const offer> offered = {};       // all elements of the operation, in place of pieces
  };
  using shared = std::shared_ptr<arriving>;
  using key = std::pair<rank, std::uint64_t>;  // a question

  void on_piece(rank from, reader& head, net::payload&& rest, base::thread_context& context);
  void on_abandoned(rank from, reader& content, base::thread_context& context);

  shared of(const question& q, rank from);
  void open(const shared& a, base::thread_context& context);
  void ask_for_target(const shared& a, base::thread_context& context);
  void await(const shared& a, const detail::instance_handle& target, event behind, base::thread_context& context);
  void check(arriving& a, base::thread_context& context) const;
  void opened(const shared& a, failure_ref cause, base::thread_context& context);
  void on_offer(offer&& of, base::thread_context& context);
  /// What is offered, of an operation that is open.
  void take(const shared& a, const std::shared_ptr<const offer>& of, base::thread_context& context) noexcept;
  /// It is to be sent instead.
  void refuse(const shared& a, const offer& of, base::thread_context& context);
  static bool has_failed(arriving& a);
  void land(const shared& a, held_piece&& p, base::thread_context& context) noexcept;
  /// From the buffer in which a piece has come.
  void apply(const shared& a, const element_piece& p, std::shared_ptr<data::staging_buffer> bytes, base::thread_context& context);
  void ended(const shared& a, std::span<const box> boxes, const failure* cause, base::thread_context& context) noexcept;
  void in_place(const shared& a, const failure* cause, base::thread_context& context) noexcept;
  void all_in_place(const shared& a, base::thread_context& context) noexcept;

  job& job_;
  failures& causes_;
  questions& questions_;
  instance_names& names_;
  posted_instances& posted_;
  offers& offers_;
  const message_kind piece_, abandoned_;
  std::atomic<std::size_t> landing_{0};
  std::mutex lock_;
  std::map<key, shared> arriving_;
  std::map<std::uint64_t, data::destination::asked> expected_;  // by question of this node
};

}  // namespace stretto::dist
