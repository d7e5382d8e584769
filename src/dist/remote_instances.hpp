// remote_instances.hpp - instances of other nodes: asked for, operated upon, and their elements moved between nodes.
//
// An operation is done where its instances are. If they are on one node, it goes there as a request. If not, the node that is read
// waits for the preconditions and sends the elements to the node that is written, which answers whoever asked: three messages at most
// and those of the elements, two if who asks is one of the two.
//
// Messages    create, ask, answer; describe and described (far_facts.hpp); piece and abandoned; offer and answered
//             (offers.hpp); forsaken (posted_instances.hpp).
// Threads     any of the runtime.
// Invariants  (1) every event that is returned ends: by the answer, or with N05 once a node is lost that had a part in it.
// Source      any node may name any instance and copy between any two: Treichler, Bauer, Aiken, "Realm", PACT 2014; the protocol is
//             Stretto's (docs/adr/0021).
#pragma once

#include <mutex>
#include <vector>

#include "data/other_nodes.hpp"
#include "dist/element_receiver.hpp"
#include "dist/element_sender.hpp"
#include "dist/far_facts.hpp"
#include "dist/far_requests.hpp"
#include "dist/global_instances.hpp"
#include "dist/instance_names.hpp"
#include "dist/node_talk.hpp"
#include "dist/posted_instances.hpp"
#include "dist/questions.hpp"
#include "dist/remote_enclosures.hpp"
#include "dist/steps.hpp"

namespace stretto::dist {

class remote_instances final : public protocol, public data::other_nodes {
 public:
  /// Before job::start.
  remote_instances(job& j, failures& causes, in_order& ordered);
  /// After it; the runtime's data floor has been started.
  void serve(base::runtime_context& runtime);

  bool reaches(std::uint16_t node) const noexcept override { return job_.rank_of(node).has_value(); }
  std::uint32_t self() const noexcept override { return job_.self(); }
  std::uint32_t nodes() const noexcept override { return job_.nodes(); }
  std::uint32_t index_of(std::uint16_t node) const noexcept override { return *job_.rank_of(node); }
  bool takes_memory_of(std::string_view driver) const noexcept override { return job_.takes_memory_of(driver); }
  detail::instance_handle near(const detail::instance_handle& named, const char* verb, const std::source_location& where) override;
  detail::made_elsewhere create(std::uint32_t node, const detail::instance_request& request, const preconditions& after,
                                const std::source_location& where) override;
  detail::instance_handle create_reduction(std::uint32_t node, const detail::instance_request& request,
                                           const detail::reduction_kind& kind, reduction_style style,
                                           const std::source_location& where) override;
  std::shared_ptr<const data::instance_facts> facts(const detail::instance_handle& h, const char* verb,
                                                    const std::source_location& where) override {
    return facts_.of(h, verb, where);
  }
  detail::instance_handle stand_in(const detail::instance_handle& h) const override { return global_.stand_in(h); }
  void gone(const detail::instance_handle& h) noexcept override { global_.gone(h); }
  event submit(const data::remote_operation_request& r, const preconditions& after, const std::source_location& where) override;
  void hold_back(const std::source_location& where) override { job_.hold_back(where); }
  std::shared_ptr<const void> counted_copy() override {
    return std::make_shared<back_pressure::share>(job_.pressure(), back_pressure::what::kept, questions::bytes_of_question);
  }
  detail::instance_handle posted_name(std::uint32_t node, std::uint64_t number) const override {
    return posted_instances::handle_of(job_.node_of(static_cast<rank>(node)), number);
  }
  void post(std::uint64_t number, const detail::instance_handle& target, std::span<const box> parts, std::span<event> done,
            const preconditions& after, const std::source_location& where) override;
  void fail_posted(std::uint64_t first, const failure_ref& why, base::thread_context& context) noexcept override {
    posted_.fail_from(first, why, context);
  }
  void listen(data::listener* who) noexcept override { talk_.listen(who); }
  void say(std::uint32_t node, std::span<const std::byte> words) override { talk_.say(static_cast<rank>(node), words); }

  void lost(rank node, base::thread_context& context) noexcept override;
  /// Numbers of postings of which something is kept.
  std::size_t postings() const { return posted_.numbers(); }
  /// For reports: operations that nodes have asked one another for, and what holds them up here.
  void tell_waits(base::wait_walk& walk) const;
  /// Elements are on their way into memory here.
  bool is_landing() const noexcept { return receiver_.is_landing(); }

 private:
  struct errand;

  void on_create(rank from, reader& content, base::thread_context& context);
  void on_ask(rank from, reader& content, base::thread_context& context);

  instance_name send_creation(rank to, const question& q, const detail::instance_request& request, const detail::reduction_kind* kind,
                              reduction_style style, event behind, const std::source_location& where);
  void send_request(rank to, const question& q, const data::remote_operation_request& r, event behind, const std::source_location& where);
  rank owner_of(const detail::instance_handle& h) const noexcept { return *job_.rank_of(static_cast<std::uint16_t>(h.key >> 48)); }
  /// Of an instance of this node its name, of others where it is.
  std::string words_for(const detail::instance_handle& h, const base::thread_context& context) const;
  /// On the node that is read, or has all: makes its own handles near, one after the other, and then does it.
  void run(std::shared_ptr<errand> e, base::thread_context& context);
  void run_here(const std::shared_ptr<errand>& e, base::thread_context& context);
  void submit_here(const std::shared_ptr<errand>& e, event behind, base::thread_context& context);
  /// Whoever asked knows those of its instances that are in global memory, before it is answered.
  void tell_of(const errand& e, base::thread_context& context);
  static step step_of(const errand& e) noexcept;
  /// It cannot be done, which is told when it would have been: others may be ordered behind it, whatever its end.
  void refuse(const std::shared_ptr<errand>& e, failure_ref why, base::thread_context& context);

  job& job_;
  failures& causes_;
  questions questions_;
  instance_names names_;
  posted_instances posted_;
  offers offers_;
  element_receiver receiver_;
  element_sender sender_;
  remote_enclosures enclosures_;
  global_instances global_;
  far_facts facts_;
  node_talk talk_;
  const message_kind create_, ask_;

  std::mutex naming_;                 // guards what follows, and that names go out in their order
  std::vector<std::uint64_t> names_given_;  // by owner
};

}  // namespace stretto::dist
