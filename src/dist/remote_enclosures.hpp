// remote_enclosures.hpp - arrays that came along with messages of other nodes: asked for there, and held until they have been.
//
// Messages    fetch: elements of an array, into an instance of who asks, which come as those of a copy do. hold and let_go: an array
//             will be asked for, later. read: a message that named arrays has been read.
// Threads     any of the runtime.
// Invariants  (1) what a node holds of another is let go of when that node is lost. (2) each fetch ends: by the answer, or with N05.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "data/enclosures.hpp"
#include "dist/element_sender.hpp"
#include "dist/questions.hpp"

namespace stretto::dist {

class remote_enclosures final : public data::far_enclosures {
 public:
  /// Before job::start.
  remote_enclosures(job& j, questions& q, element_sender& sender);
  /// After it; of this runtime.
  void serve(std::shared_ptr<data::enclosures> all);

  event fetch(const data::enclosure_name& what, const box& part, const detail::instance_handle& into, part_of_fetch which,
              std::span<const event> after, const std::source_location& where, base::thread_context& context) override;
  void hold(const data::enclosure_name& what) override;
  void let_go(const data::enclosure_name& what) override;
  std::uint64_t keep_for(std::uint32_t node, std::vector<std::shared_ptr<const void>>&& along) override;
  void have_read(std::uint32_t sender, std::uint64_t message) override;

  void lost(rank node) noexcept;

 private:
  using held = std::shared_ptr<const void>;

  void on_fetch(rank from, reader& content, base::thread_context& context);
  void on_hold(rank from, reader& content, base::thread_context& context);
  void on_let_go(rank from, reader& content, base::thread_context& context);
  void on_read(rank from, reader& content, base::thread_context& context);
  void hold_for(rank by, std::uint64_t number);
  void let_go_for(rank by, std::uint64_t number);

  job& job_;
  questions& questions_;
  element_sender& sender_;
  const message_kind fetch_, hold_, let_go_, read_;
  std::shared_ptr<data::enclosures> all_;
  std::mutex lock_;  // guards what follows; nothing is let go of behind it
  std::uint64_t messages_ = 0;
  std::multimap<std::pair<rank, std::uint64_t>, held> by_others_;          // which node, which array
  std::map<std::pair<rank, std::uint64_t>, std::vector<held>> unread_;     // which node, which message
};

}  // namespace stretto::dist
