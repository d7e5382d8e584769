// Replies to the messages of one node, without the node that sends them: the counts in the directory, and what a reply
// says of later messages.
#include "mobile/object_replies.hpp"

#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <source_location>
#include <vector>

#include "event/event_floor.hpp"
#include "mobile/lone_node.hpp"
#include "mobile/reply_sender.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::mobiles {
namespace {

constexpr object_id seven{7}, eight{8};

/// Messages of a node without a job, whose replies the test makes.
struct replied_node {
  replied_node() { homes.start(1); }
  std::uint64_t send(object_id to) {
    sched::count_spawned(current_thread());
    auto& record = static_cast<sched::task_record&>(
        *detail::make_task(0, detail::value_type<void>, std::source_location::current(), {}).record);
    const auto msg = make_remote_message();
    msg->object = to;
    directory.shard_of(to).all[to].number_message(*msg);
    replies.add(record, nullptr, msg);
    record.release();  // its future is not used
    return msg->request;
  }
  object_entry& entry(object_id id) { return *directory.shard_of(id).find(id); }

  recorded_actions done;
  home_nodes homes{nullptr};
  object_directory directory;
  load_measurement load;
  checkpoint_pause pause;
  object_failures failures{nullptr, homes};
  local_objects local{homes, failures, load, pause};
  message_counters counters;
  quiescence_detection quiescence{nullptr, [this] { return counters.totals(directory); }};
  object_replies replies{homes, directory, local, quiescence, done};
  reply_sender outgoing{nullptr, homes, counters, replies, quiescence};
};

template <class F>
void in_finish(F&& f) {
  runtime rt({.workers = 1});
  rt.run([&] { finish([&] { f(); }); });
}

/// The number of the first message to object 7 that waits.
std::uint64_t first_unanswered(replied_node& s) { return s.replies.unanswered(seven).at(0)->number; }

/// The same; messages fail.
template <class F>
void in_failing_finish(F&& f) {
  runtime rt({.workers = 1});
  rt.run([&] { CHECK_THROWS_AS(finish([&] { f(); }), error); });
}

failure_ref some_failure() { return detail::make_failure(std::make_exception_ptr(1), "a test", {}); }

TEST_CASE("a reply ends its message once, in the counts of its object") {
  in_finish([] {
    replied_node s;
    const auto one = s.send(seven), two = s.send(seven);
    s.replies.complete(reply_stage::value_and_end, one, 1, {}, {});
    s.replies.complete(reply_stage::value_and_end, one, 1, {}, {});
    CHECK(s.directory.messages_ended() == 1);
    CHECK(s.entry(seven).unanswered == 1);
    CHECK(s.replies.unanswered(seven).size() == 1);
    s.replies.on(1, batched_replies{{.requests = {two}, .count = 1}});
    CHECK(s.entry(seven).answered_below == 2);
    CHECK(s.replies.unanswered().empty());
    CHECK(s.done.is_empty());
  });
}

TEST_CASE("a permanent failure ends the later messages to the object, but not the earlier ones") {
  in_failing_finish([] {
    replied_node s;
    const auto before = s.send(seven), failed = s.send(seven);
    s.send(seven);
    const auto of_another = s.send(eight);
    s.replies.complete(reply_stage::value_and_end, failed, 1, some_failure(), {}, true);
    CHECK(s.entry(seven).loss);
    REQUIRE(s.replies.unanswered(seven).size() == 1);
    CHECK(first_unanswered(s) == 0);
    s.replies.complete(reply_stage::value_and_end, before, 1, {}, {});
    s.replies.complete(reply_stage::value_and_end, of_another, 1, {}, {});
    CHECK_FALSE(s.entry(eight).loss);
    CHECK(s.directory.messages_ended() == 4);
  });
}

TEST_CASE("all unanswered messages to one object fail together") {
  in_failing_finish([] {
    replied_node s;
    s.send(seven);
    const auto other = s.send(eight);
    s.send(seven);
    s.replies.fail_unanswered(seven, some_failure());
    CHECK(s.replies.unanswered(seven).empty());
    CHECK(s.replies.unanswered().size() == 1);
    s.replies.complete(reply_stage::value_and_end, other, 1, {}, {});
  });
}

TEST_CASE("a reply to a message of this node needs no network; a message without a request needs no reply") {
  in_finish([] {
    replied_node s;
    const auto one = s.send(seven), two = s.send(seven);
    s.outgoing.send(0, reply_stage::value_and_end, one, {});
    remote_message msg;
    msg.from = 0;
    msg.request = two;
    s.outgoing.batch(msg);
    s.outgoing.flush();
    msg.request = 0;
    s.outgoing.batch(msg);
    CHECK(s.directory.messages_ended() == 2);
    CHECK(s.counters.protocol_messages_sent() == 0);
  });
}

}  // namespace
}  // namespace stretto::mobiles
