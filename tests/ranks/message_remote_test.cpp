#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "ranks/messages/point_to_point.hpp"

using namespace stretto;
using ranks::context_number, ranks::envelope;

namespace {

/// A message whose data the test sends when it likes.
struct deferred_message final : ranks::remote_message {
  deferred_message(envelope e, std::string data) : remote_message(e, std::ssize(data)), text(std::move(data)) {}

  std::string text;
  ranks::message_request* receive = nullptr;
  bool is_abandoned = false;

  void receive_into(ranks::message_request& r) override { receive = &r; }
  void abandon() noexcept override { is_abandoned = true; }
  void send_data() {
    const auto bytes = ranks::copy_part(receive->data, {text.data(), std::ssize(text)});
    receive->status = {match.source(), match.tag(), {}, false, bytes, std::ssize(text)};
    receive->end();
  }
};

/// A rank of another node that takes every message at its second chance.
struct slow_peer final : ranks::remote_peer {
  std::vector<ranks::message_request*> sends;
  void start_send(ranks::message_request& send) override {
    send.wait_for_match();
    sends.push_back(&send);
  }
  void cancel_send(ranks::message_request& send) override {
    send.status.is_cancelled = true;
    send.end();
  }
  ranks::world_rank number() const override { return ranks::world_rank{1}; }
};

constexpr envelope from_rank_2{context_number(0), 2, 9};

}  // namespace

TEST_CASE("data from another node is received in order, however large it is") {
  ranks::mailbox box;
  std::vector<int> first(3), second(5000), third(4);
  std::iota(second.begin(), second.end(), 1);
  const auto data = [](std::vector<int>& v) { return ranks::data_part{v.data(), std::ssize(v) * 4}; };
  std::vector<int> received(5000);
  box.deliver_copy(from_rank_2, data(first));
  box.deliver_copy(from_rank_2, data(second));
  CHECK(ranks::try_probe(box, from_rank_2)->bytes == 12);
  CHECK(ranks::receive({box, from_rank_2, data(received)}).bytes == 12);
  CHECK(ranks::receive({box, from_rank_2, data(received)}).bytes == 20'000);
  CHECK(received == second);
  const auto receive = ranks::start_receive({box, from_rank_2, data(received)});
  box.deliver_copy(from_rank_2, data(third));
  CHECK(receive->is_done());
  CHECK(receive->status.bytes == 16);
}

TEST_CASE("a message from another node is asked for its data by the receive that takes it") {
  deferred_message early(from_rank_2, "early"), late(from_rank_2, "late"), unwanted(from_rank_2, "unwanted");
  {
    ranks::mailbox box;
    std::string first(5, '-'), second(4, '-');
    box.deliver(early);
    const auto a = ranks::start_receive({box, from_rank_2, {first.data(), 5}});
    const auto b = ranks::start_receive({box, from_rank_2, {second.data(), 4}});
    box.deliver(late);
    CHECK_FALSE(a->is_done());
    ranks::cancel(*b);  // it has its message
    late.send_data();
    early.send_data();
    CHECK(first == "early");
    CHECK(second == "late");
    CHECK(a->is_done());
    CHECK_FALSE(b->status.is_cancelled);
    box.deliver(unwanted);
    CHECK(ranks::try_probe(box, from_rank_2)->bytes == 8);
  }
  CHECK(unwanted.is_abandoned);
  CHECK_FALSE(early.is_abandoned);
}

TEST_CASE("a send to a rank of another node is done when its peer says so") {
  slow_peer peer;
  int sent = 1;
  const ranks::send_arguments a{{nullptr, &peer}, from_rank_2, {&sent, 4}};
  const auto send = ranks::start_send(a), cancelled = ranks::start_send(a);
  CHECK_FALSE(send->is_done());
  ranks::cancel(*cancelled);
  CHECK(cancelled->status.is_cancelled);
  peer.sends.front()->end();
  CHECK(send->is_done());
}

TEST_CASE("messages to and from the null process are empty and done at once") {
  ranks::mailbox box;
  ranks::send({});
  CHECK(ranks::start_send({})->is_done());
  const envelope nobody{context_number(0), ranks::null_process, 3};
  const auto status = ranks::receive({box, nobody, {}});
  CHECK(status.source == ranks::null_process);
  CHECK(status.tag == ranks::any_tag);
  CHECK(status.bytes == 0);
  const auto matched = ranks::try_matched_probe(box, nobody);
  REQUIRE(matched);
  CHECK(ranks::receive_matched(box, matched->message, {}).source == ranks::null_process);
  CHECK(ranks::try_probe(box, nobody)->source == ranks::null_process);
}
