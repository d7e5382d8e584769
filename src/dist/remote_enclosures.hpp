// remote_enclosures.hpp - arrays that came along with messages of other nodes: asked for there, and held until they have been.
//
// Messages    fetch: elements of an array, into an instance of who asks, which come as those of a copy do; who asks may name it when they
//             come. hold and let_go: an array will be asked for, later. read: a message that named arrays has been read. request: what this node shares is to be
//             fetched under a number that who asks has chosen.
// Threads     any of the runtime.
// Invariants  (1) what a node holds of another is let go of when that node is lost. (2) each fetch ends: by the answer, or with N05.
//             (3) requests of one node are handled in their order, among what else is so (in_order.hpp).
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "data/attachments.hpp"
#include "dist/element_receiver.hpp"
#include "dist/element_sender.hpp"
#include "dist/in_order.hpp"
#include "dist/questions.hpp"

namespace stretto::dist {

class remote_enclosures final : public data::remote_attachments {
 public:
  /// Before job::start.
  remote_enclosures(job& j, in_order& ordered, questions& q, element_sender& sender, element_receiver& receiver);
  /// After it; of this runtime.
  void serve(std::shared_ptr<data::attachments> all);

  event fetch(const data::attachment_name& what, const box& part, data::destination to, part_of_fetch which,
              const std::source_location& where, base::thread_context& context) override;
  void hold(const data::attachment_name& what) override;
  void let_go(const data::attachment_name& what) override;
  data::attachment_name request(std::uint16_t node, std::uint64_t shared, const box& part, const std::source_location& where) override;
  std::uint64_t keep_for(std::uint32_t node, std::vector<std::shared_ptr<const void>>&& along) override;
  void acknowledge_message(std::uint32_t sender, std::uint64_t message) override;

  void lost(rank node) noexcept;

 private:
  using held = std::shared_ptr<const void>;
  using array = std::shared_ptr<data::attached_array>;
  /// What a node has asked for by a fetch.
  struct fetch_of {
    question is;
    box part;
    point shift;
    detail::instance_handle target;
    std::uint64_t request = 0;  // that it is of, if it is of one
    std::source_location where;
  };

  static bool is_of_request(std::uint64_t number) noexcept { return number >> 63; }
  void on_fetch(rank from, reader& content, base::thread_context& context);
  void on_hold(rank from, reader& content, base::thread_context& context);
  void on_let_go(rank from, reader& content, base::thread_context& context);
  void on_read(rank from, reader& content, base::thread_context& context);
  void on_request(rank from, reader& content, base::thread_context& context);
  void lend(data::attached_array& from, const fetch_of& f, base::thread_context& context);
  void refuse(const fetch_of& f, base::thread_context& context);
  void hold_for(rank by, std::uint64_t number);
  void let_go_for(rank by, std::uint64_t number);

  job& job_;
  questions& questions_;
  element_sender& sender_;
  element_receiver& receiver_;
  in_order& ordered_;
  const message_kind fetch_, hold_, let_go_, read_;
  const in_order::kind request_;
  std::atomic<std::uint64_t> requests_{0};
  std::shared_ptr<data::attachments> all_;
  std::mutex lock_;  // guards what follows; nothing is let go of behind it
  std::uint64_t messages_ = 0;
  std::multimap<std::pair<rank, std::uint64_t>, held> by_others_;          // which node, which array
  std::map<std::pair<rank, std::uint64_t>, std::vector<held>> unread_;     // which node, which message
  /// Of requests of others: what is lent for one, until it has been fetched; or, where the request was overtaken, by what.
  struct requested {
    array lent = {};
    std::optional<fetch_of> wanted = {};  // neither: nobody will fetch it
  };
  std::map<std::pair<rank, std::uint64_t>, requested> requested_;
};

}  // namespace stretto::dist
