// Messages about instances that no node of a job could have sent: their sender has failed for the receiver (N05), and
// an empty piece changes nothing.
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "dist/dist_floor.hpp"
#include "dist/element_piece.hpp"
#include "dist/instance_messages.hpp"
#include "dist/job_member.hpp"
#include "dist/posted_copies.hpp"
#include "dist/simulated.hpp"
#include "event/event_floor.hpp"
#include "eventually.hpp"

namespace stretto {
namespace {

using action = data::remote_operation_request::action;

/// Of the node that calls.
dist::job& job_here() {
  const auto& here = *base::require_current("test").runtime->get<dist::dist_state>(base::floor_slot::dist);
  return const_cast<dist::job&>(here.of->of());  // no program can send such messages
}

/// An operation on instances of these nodes, under names that nobody has given.
dist::instance_operation operation_on(action what, const std::vector<dist::rank>& owners) {
  dist::instance_operation m{.what = {.what = what}};
  for (const dist::rank r : owners)
    m.what.used.push_back(
        {nullptr, std::uint64_t{job_here().node_of(r)} << 48 | data::named_by_others | std::uint64_t{1} << 32});
  return m;
}

TEST_CASE("an operation whose instances its receiver cannot use disconnects its sender") {
  const std::pair<action, std::vector<dist::rank>> malformed[] = {
      {action::clear, {}},          // no instance
      {action::clear, {99}},        // of no node of the job
      {action::clear, {0}},         // of another node
      {action::copy, {1}},          // no source
      {action::copy, {1, 0}},       // the source is elsewhere
      {action::copy, {99, 1}},      // no node has the target
      {action::gather, {1, 0, 1}},  // instances of two nodes
      {action::fill, {1, 1}},       // one too many
      {action::copy, {1, 1, 1}},    // the same
      {action::scatter, {1, 1}},    // no indices
      {action::scatter, {1, 1, 1, 1}},
  };
  for (const auto& [what, owners] : malformed)
    test::on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
      dist::job& j = job_here();
      if (this_node() == 0) j.send(1, operation_on(what, owners));
      const auto other = static_cast<dist::rank>(1 - this_node());
      REQUIRE(test::eventually([&] { return j.is_lost(other); }, [] { async([] {}).get(); }));
      const failure_ref why = j.loss_of(other);
      why->mark_observed();
      CHECK(exception_text(why->exception()).find("it sent a message that cannot be read: instances.request") !=
            std::string::npos);
    });
}

TEST_CASE("a reduction whose operator the receiver does not know disconnects nobody") {
  test::on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    if (this_node() != 0) return;
    job_here().send(1, operation_on(action::fold, {0, 1}));
    CHECK(async(at_node(1), call<&this_node>()).get() == 1);
    CHECK_FALSE(job_here().is_lost(1));
  });
}

event received;  // on node 1

void post_a_row() {
  const auto row = instance<double>::create(at(this_machine().memories().front()), {0, 10}).made;
  received = test::post(7, row, std::array{box{0, 10}}).front();
  row.destroy(after(ignore_failure(received)));
}
/// Whether the event of the receive ends when it fails.
bool ends_with_a_failure() {
  base::thread_context& context = base::require_current("test");
  const failure_ref why = detail::make_failure(std::make_exception_ptr(std::runtime_error("x")), "test", {});
  why->mark_observed();
  test::remote_instances_here().fail_posted(0, why, context);
  static_cast<void>(ignore_failure(received));
  return received.is_poisoned();
}

TEST_CASE("a posted receive that got an empty piece ends as soon as it fails") {
  test::on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    if (this_node() != 0) return;
    async(at_node(1), call<&post_a_row>()).get();
    const dist::element_order order{
        .target = test::remote_instances_here().posted_name(1, 7), .outline = box{0, 10}, .bytes_each = sizeof(double)};
    job_here().send(1, dist::element_message{.order = order}, {}, nullptr, dist::job::counting::itself);
    CHECK(async(at_node(1), call<&ends_with_a_failure>()).get());
  });
}

}  // namespace
}  // namespace stretto
