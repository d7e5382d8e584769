// remote_instances.hpp - instances of other nodes: creation, operations on them, and copies of elements between nodes.
//
// An operation is carried out on the node of its instances. If these are on one node, the request is sent there. If
// not, the source node waits for the preconditions and sends the elements to the target node, which replies to the
// requester: at most three messages besides the elements, two if the requester is one of the two.
//
// Messages    create, request, reply; describe and described (instance_facts_cache.hpp); piece and abandoned; offer and
//             offer_reply (pull_offers.hpp); not_coming (posted_receives.hpp).
// Threads     any of the runtime.
// Invariants  (1) every event that is returned ends: by the reply, or with N05 once a node is lost that takes part.
// Source      any node may name any instance and copy between any two: Treichler, Bauer, Aiken, "Realm", PACT 2014; the
//             protocol is Stretto's (docs/adr/0021).
#pragma once

#include <mutex>
#include <vector>

#include "data/other_nodes.hpp"
#include "dist/element_receiver.hpp"
#include "dist/element_sender.hpp"
#include "dist/global_instances.hpp"
#include "dist/instance_facts_cache.hpp"
#include "dist/instance_names.hpp"
#include "dist/operation_steps.hpp"
#include "dist/pending_requests.hpp"
#include "dist/posted_receives.hpp"
#include "dist/remote_attachments.hpp"
#include "dist/remote_requests.hpp"

namespace stretto::dist {

class remote_instances final : public protocol, public data::other_nodes {
 public:
  /// Must be made before job::start.
  remote_instances(job& j, ordered_messages& ordered);
  /// Must be called after job::start and after the data floor of the runtime has started.
  void serve(base::runtime_context& runtime);

  bool reaches(std::uint16_t node) const noexcept override { return job_.rank_of(node).has_value(); }
  std::uint32_t self() const noexcept override { return job_.self(); }
  std::uint32_t nodes() const noexcept override { return job_.nodes(); }
  std::uint32_t index_of(std::uint16_t node) const noexcept override { return *job_.rank_of(node); }
  bool takes_memory_of(std::string_view driver) const noexcept override { return job_.takes_memory_of(driver); }
  detail::instance_handle near(const detail::instance_handle& named, const char* verb,
                               const std::source_location& where) override;
  detail::made_elsewhere create(std::uint32_t node, const detail::instance_request& request, const preconditions& after,
                                const std::source_location& where) override;
  detail::instance_handle create_reduction(std::uint32_t node, const detail::instance_request& request,
                                           const detail::reduction_kind& kind, reduction_style style,
                                           const std::source_location& where) override;
  std::shared_ptr<const data::instance_facts> facts(const detail::instance_handle& h, const char* verb,
                                                    const std::source_location& where) override {
    return facts_.of(h, verb, where);
  }
  detail::instance_handle stand_in(const detail::instance_handle& h) const override {
    return global_instances_.stand_in(h);
  }
  void gone(const detail::instance_handle& h) noexcept override { global_instances_.gone(h); }
  event submit(const data::remote_operation_request& r, const preconditions& after,
               const std::source_location& where) override;
  void hold_back(const std::source_location& where) override { job_.hold_back(where); }
  std::shared_ptr<const void> counted_copy() override {
    return std::make_shared<back_pressure::share>(job_.pressure(), back_pressure::kind::unanswered,
                                                  pending_requests::bytes_of_request);
  }
  detail::instance_handle posted_name(std::uint32_t node, std::uint64_t number) const override {
    return posted_receives::handle_of(job_.node_of(static_cast<rank>(node)), number);
  }
  void post(std::uint64_t number, const detail::instance_handle& target, std::span<const box> parts,
            std::span<event> done, const preconditions& after, const std::source_location& where) override;
  void fail_posted(std::uint64_t first, const failure_ref& why, base::thread_context& context) noexcept override {
    posted_.fail_from(first, why, context);
  }

  void lost(rank node, base::thread_context& context) noexcept override;
  /// The number of posted receives that are kept.
  std::size_t posted_receives_kept() const { return posted_.size(); }
  /// For hang reports: adds the requested operations, and what they wait for on this node.
  void add_wait_edges(base::wait_walk& walk) const;
  /// True while elements are being written to memory here.
  bool has_incoming_data() const noexcept { return receiver_.has_incoming_data(); }

 private:
  struct remote_operation;

  void on_create(rank from, const instance_creation& m, base::thread_context& context);
  void on_operation(rank from, const instance_operation& m, base::thread_context& context);
  /// True if all instances are of this job, and of this node, except for the target of a transfer (submit).
  bool is_for_this_node(const operation_fields& f) const noexcept;

  instance_name send_creation(rank to, const request_id& q, const detail::instance_request& request,
                              const detail::reduction_kind* kind, reduction_style style, event behind,
                              const std::source_location& where);
  void send_request(rank to, const request_id& q, const data::remote_operation_request& r, event behind,
                    const std::source_location& where);
  rank owner_of(const detail::instance_handle& h) const noexcept {
    return *job_.rank_of(static_cast<std::uint16_t>(h.key >> 48));
  }
  /// The description of a local instance; for others, their node.
  std::string describe_instance(const detail::instance_handle& h, const base::thread_context& context) const;
  /// On the node that carries out the operation: resolves the names of its own instances one after the other, then
  /// calls run_here.
  void resolve_names(std::shared_ptr<remote_operation> e, base::thread_context& context);
  void run_here(const std::shared_ptr<remote_operation>& e, base::thread_context& context);
  void submit_here(const std::shared_ptr<remote_operation>& e, event behind, base::thread_context& context);
  /// Announces the instances in global memory to the requester. Must be called before the reply.
  void announce_globals(const remote_operation& e, base::thread_context& context);
  static operation_step step_of(const remote_operation& e) noexcept;
  /// Replies with the failure after the preconditions have ended: later operations may be ordered after this one.
  void fail_operation(const std::shared_ptr<remote_operation>& e, failure_ref why, base::thread_context& context);

  job& job_;
  pending_requests pending_requests_;
  instance_names names_;
  posted_receives posted_;
  pull_offers offers_;
  element_receiver receiver_;
  element_sender sender_;
  remote_attachments enclosures_;
  global_instances global_instances_;
  instance_facts_cache facts_;

  std::mutex naming_lock_;                 // guards what follows, and the order in which names are sent
  std::vector<std::uint64_t> last_names_;  // by owner
};

}  // namespace stretto::dist
