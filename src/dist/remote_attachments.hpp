// remote_attachments.hpp - arrays that are attached to messages of other nodes: they stay on their node, which keeps
// them alive, until the receiver fetches them.
//
// Messages    fetch: requests elements of an array; they are sent as those of a copy, to an instance that the requester
//             may choose when they arrive. hold, let_go: keep the array alive for a later fetch; release it. read: the
//             receiver has read a message with attachments. request: the elements of a shared object can be fetched
//             under a number that the requester has chosen.
// Threads     any of the runtime.
// Invariants  (1) what is kept for a node is released when that node is lost. (2) each fetch ends: by its reply, or
//             with N05. (3) requests of one node are handled in order, together with its other ordered messages
//             (ordered_messages.hpp).
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "data/attachments.hpp"
#include "dist/attachment_messages.hpp"
#include "dist/element_receiver.hpp"
#include "dist/element_sender.hpp"
#include "dist/ordered_messages.hpp"
#include "dist/pending_requests.hpp"

namespace stretto::dist {

class remote_attachments final : public data::remote_attachments {
 public:
  /// Must be made before job::start.
  remote_attachments(job& j, ordered_messages& ordered, pending_requests& pending, element_sender& sender,
                     element_receiver& receiver);
  /// Must be called after job::start, with the attachments of this runtime.
  void serve(std::shared_ptr<data::attachments> all);

  event fetch(const data::attachment_name& what, const box& part, data::destination to, part_of_fetch which,
              const std::source_location& where, base::thread_context& context) override;
  void hold(const data::attachment_name& what) override;
  void let_go(const data::attachment_name& what) override;
  data::attachment_name request(std::uint16_t node, std::uint64_t shared, const box& part,
                                const std::source_location& where) override;
  data::kept_attachments keep_for(std::uint32_t node, std::vector<std::shared_ptr<const void>>&& along) override;
  void acknowledge_message(std::uint32_t sender, data::kept_attachments message) override;

  void lost(rank node) noexcept;

 private:
  using held = std::shared_ptr<const void>;
  using number = data::attachment_number;
  using array = std::shared_ptr<data::attached_array>;
  /// A fetch of another node.
  struct fetch_request {
    request_id id;
    box part;
    point shift;
    detail::instance_handle target;
    std::optional<number> request = {};  // that it belongs to
    std::source_location where;
  };

  void on_fetch(rank from, const attachment_fetch& m, base::thread_context& context);
  void on_hold(rank from, const attachment_hold& m, base::thread_context& context);
  void on_release(rank from, const attachment_release& m, base::thread_context& context);
  void on_read(rank from, const attachments_read& m, base::thread_context& context);
  void on_request(rank from, const attachment_request& m, base::thread_context& context);
  void lend(data::attached_array& from, const fetch_request& f, base::thread_context& context);
  void refuse(const fetch_request& f, base::thread_context& context);
  void hold_for(rank node, number n);
  void let_go_for(rank node, number n, data::numbered_by by);

  job& job_;
  pending_requests& pending_requests_;
  element_sender& sender_;
  element_receiver& receiver_;
  ordered_messages& ordered_;
  std::atomic<std::uint64_t> requests_{0};
  std::shared_ptr<data::attachments> all_;
  std::mutex lock_;  // guards what follows; nothing is released while it is held
  data::kept_attachments messages_{};
  std::multimap<std::pair<rank, number>, held> by_others_;                       // by node and array
  std::map<std::pair<rank, data::kept_attachments>, std::vector<held>> unread_;  // by node and message
  /// A request of another node: the array to be fetched; or the fetch, if it has overtaken the request.
  struct requested {
    array lent = {};
    std::optional<fetch_request> wanted = {};  // neither is set: it will not be fetched
  };
  std::map<std::pair<rank, number>, requested> requested_;
};

}  // namespace stretto::dist
