// A node that sends what no node of the job could have sent to mobile objects fails for the receiver (N05); all
// futures end.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "dist/dist_floor.hpp"
#include "dist/job_member.hpp"
#include "mobile/broadcast_message.hpp"
#include "mobile/migration_message.hpp"
#include "mobile/protocol_messages.hpp"
#include "mobile/reply_aggregation.hpp"
#include "mobile/trial.hpp"

namespace stretto {
namespace {

using namespace mobiles;

struct malformed_message {
  const char* kind;
  void (*send)(dist::job& j, dist::rank to, object_id object);
};

const malformed_message malformed_messages[] = {
    {"mobile.message",
     [](dist::job& j, dist::rank to, object_id) {  // cut
       j.send(to, j.kind_of<object_message>(), dist::writer(std::uint64_t{1}));
     }},
    {"mobile.message", [](dist::job& j, dist::rank to,
                          object_id) { j.send(to, object_message{.header = {.object = id_of(0xffff, 1)}}); }},
    {"mobile.message", [](dist::job& j, dist::rank to,
                          object_id object) { j.send(to, object_message{.header = {.object = object, .from = 99}}); }},
    {"mobile.arrival_query", [](dist::job& j, dist::rank to, object_id) { j.send(to, arrival_query{}); }},
    {"mobile.broadcast",
     [](dist::job& j, dist::rank to, object_id object) { j.send(to, broadcast_message{.header = {.first = object}}); }},
    {"mobile.broadcast",
     [](dist::job& j, dist::rank to, object_id object) {
       const message_run run{.index = (std::uint64_t{1} << 48) - 1};
       j.send(to, broadcast_message{.header = {.first = object}, .nodes = {{to, {run}}}});
     }},
    {"mobile.aggregated_replies",
     [](dist::job& j, dist::rank to, object_id) {
       j.send(to, j.kind_of<aggregated_replies>(), encoded_replies{.count = 1});
     }},
    {"mobile.batched_replies",
     [](dist::job& j, dist::rank to, object_id) {
       j.send(to, j.kind_of<batched_replies>(), dist::writer(std::uint8_t{1}));
     }},
    {"mobile.value_and_end_reply",
     [](dist::job& j, dist::rank to, object_id) {
       j.send(to, value_and_end_reply{.header = {.request = 1, .is_permanent = true}});
     }},
    {"mobile.object",
     [](dist::job& j, dist::rank to, object_id object) {
       object_migration m{.header = {.epoch = migration_epoch{1}, .object = object}};
       m.messages.all.push_back({.header = {.object = base::next(object)}});
       j.send(to, m);
     }},
};

/// Of the node that calls.
dist::job& this_job() {
  const auto& here = *base::require_current("test").runtime->get<dist::dist_state>(base::floor_slot::dist);
  return const_cast<dist::job&>(here.of->of());  // no program can send such messages
}

TEST_CASE("a node that sends a malformed message to mobile objects fails for the receiver, and all futures end") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const malformed_message& bad : malformed_messages) {
      test::trial t(seed, 4);
      if (t.nodes < 2) continue;
      CAPTURE(seed);
      const std::string kind = bad.kind;
      CAPTURE(kind);
      t.has_losses = true;
      for (int i = 0; i < 20; ++i) t.do_something();
      t.on(0, [&] {
        dist::job& j = this_job();
        bad.send(j, 1, id_of(j.node(), 1));
      });
      t.step_until([&] {
        bool has_failed = false;
        t.on(1, [&] { has_failed = this_job().is_lost(0); });
        return has_failed;
      });
      std::string why;
      t.on(1, [&] { why = exception_text(this_job().loss_of(0)->exception()); });
      CHECK(why.find("error N05") != why.npos);
      CHECK(why.find("it sent a message that cannot be read: " + kind) != why.npos);
      t.job.cut(0, 1);  // the sender notices it, too
      t.finish_all();
    }
}

}  // namespace
}  // namespace stretto
