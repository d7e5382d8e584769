// Messages for which a node has no handler: they are reported, and never dropped in silence.
#include <stretto/error.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dist/cluster.hpp"
#include "dist/job.hpp"
#include "dist/ordered_messages.hpp"
#include "net/self/local_window.hpp"
#include "net/sim/network.hpp"
#include "thrown_by.hpp"

namespace stretto::dist {
namespace {

struct knock {
  static constexpr std::string_view message = "test.knock";
  std::uint32_t number = 0;
};
struct knack {
  static constexpr std::string_view message = "test.knack";
};

/// The transport of node 0 of 2, to which the test gives the messages of node 1.
class hand_fed_transport final : public net::transport {
 public:
  explicit hand_fed_transport(net::handlers& all) : transport(all) { all.close(); }

  void feed(net::handler_number handler, const writer& fields) {
    waiting_.push_back({handler, {fields.all().begin(), fields.all().end()}});
  }

  net::node_number self() const noexcept override { return 0; }
  std::uint32_t nodes() const noexcept override { return 2; }
  std::size_t poll() override {
    const auto all = std::exchange(waiting_, {});
    for (const auto& [handler, fields] : all) handle(1, handler, fields, net::payload());
    return all.size();
  }
  bool is_pending() const noexcept override { return !waiting_.empty(); }
  std::uint64_t outstanding_bytes() const noexcept override { return 0; }
  net::traffic counted() const noexcept override { return {}; }
  net::window& open_window(std::uint64_t bytes) override {
    return *(window_ = std::make_unique<net::self::local_window>(bytes));
  }

 private:
  void send_checked(const net::message&) override {}

  std::vector<std::pair<net::handler_number, std::vector<std::byte>>> waiting_;
  std::unique_ptr<net::window> window_;
};

struct knocked_node {
  knocked_node() {
    job.on<&knocked_node::on_knock>(this);
    context.runtime = &runtime;
  }
  void join_by_hand() {
    job.start([&](net::handlers& all) {
      auto made = std::make_unique<hand_fed_transport>(all);
      by_hand = made.get();
      return made;
    });
  }
  void feed(const std::string& kind, const writer& fields) { by_hand->feed(job.handlers().number(kind), fields); }
  void poll() {
    const testing::visit here(context);
    job.poll();
  }
  /// Why this node has disconnected from that one.
  std::string loss_of(rank node) { return job.is_lost(node) ? exception_text(job.loss_of(node)->exception()) : "none"; }

  void on_knock(rank, const knock& m, base::thread_context&) {
    numbers.push_back(m.number);
    handled_kind = job.handled_kind();
  }

  base::runtime_context runtime;
  base::thread_context context;
  dist::job job;
  hand_fed_transport* by_hand = nullptr;
  std::vector<std::uint32_t> numbers;
  std::string handled_kind;
};

}  // namespace

TEST_CASE("a message of an unknown kind disconnects its sender, with an error N05 that names the kind") {
  knocked_node here;
  here.join_by_hand();
  here.feed("test.knock", writer(std::uint32_t{1}));
  here.by_hand->feed(731, writer(std::uint64_t{0}));
  here.feed("test.knock", writer(std::uint32_t{2}));
  here.poll();
  CHECK(here.numbers == std::vector<std::uint32_t>{1});
  CHECK(testing::contains(here.loss_of(1), "error N05: node N1 is lost"));
  CHECK(testing::contains(here.loss_of(1), "it sent a message of an unknown kind: number 731"));
}

TEST_CASE("a node that disconnects from another one has failed for that one, too") {
  const auto network = net::sim::network::make({.nodes = 2, .seed = 1});
  knocked_node reader, sender;
  reader.job.start([&](net::handlers& all) { return network->join(0, all); });
  sender.job.start([&](net::handlers& all) { return network->join(1, all); });
  sender.job.send(0, sender.job.kind_of<knock>(), writer(std::uint8_t{1}));  // too short
  while (reader.job.is_pending() || sender.job.is_pending()) reader.poll(), sender.poll();
  CHECK(testing::contains(reader.loss_of(1), "it sent a message that cannot be read: test.knock"));
  CHECK(testing::contains(sender.loss_of(0), "error N05: node N0 is lost"));
  CHECK(testing::contains(sender.loss_of(0),
                          "that node has disconnected from this one: it sent a message that cannot be read"));
}

TEST_CASE("a message that a handler of the transport's own cannot read disconnects its sender, too") {
  knocked_node here;
  here.job.handlers().add("window.test", nullptr, +[](void*, net::arrival& a) { a.is_malformed = true; });
  here.join_by_hand();
  here.feed("window.test", writer());
  here.poll();
  CHECK(testing::contains(here.loss_of(1), "it sent a message that cannot be read: window.test"));
}

TEST_CASE("a message that is too short for its cause disconnects its sender, even if its fields can be read") {
  knocked_node here;
  here.join_by_hand();
  here.feed("test.knock with its cause", writer(std::uint32_t{1}, std::uint64_t{77}));
  here.feed("test.knock with its cause", writer(std::uint32_t{2}));
  here.poll();
  CHECK(here.numbers == std::vector<std::uint32_t>{1});
  CHECK(testing::contains(here.loss_of(1), "it sent a message that cannot be read: test.knock"));
}

TEST_CASE("the first number without a handler is unknown, the last with one is not") {
  knocked_node here;
  here.join_by_hand();
  const auto known = static_cast<net::handler_number>(here.job.handlers().size());
  here.by_hand->feed(static_cast<net::handler_number>(known - 1), writer(std::uint32_t{1}, std::uint64_t{0}));
  here.poll();
  CHECK(here.loss_of(1) == "none");
  here.by_hand->feed(known, writer());
  here.poll();
  CHECK(testing::contains(here.loss_of(1), "unknown kind: number " + std::to_string(known)));
}

TEST_CASE("an ordered message of an unknown kind disconnects its sender") {
  knocked_node here;
  ordered_messages ordered(here.job);
  ordered.on<&knocked_node::on_knock>(&here);
  here.join_by_hand();
  here.feed("ordered_messages", writer(std::uint64_t{0}, std::uint8_t{0}, std::uint32_t{5}));
  here.poll();
  CHECK(here.numbers == std::vector<std::uint32_t>{5});
  here.feed("ordered_messages", writer(std::uint64_t{1}, std::uint8_t{1}, std::uint32_t{6}));
  here.poll();
  CHECK(here.numbers.size() == 1);
  CHECK(testing::contains(here.loss_of(1), "error N05"));
  CHECK(testing::contains(here.loss_of(1), "it sent a message of an unknown kind: number 1 of ordered messages"));
}

TEST_CASE("while a message is handled, the job names its kind for hang reports, also of an ordered message") {
  knocked_node plain, ordering;
  ordered_messages ordered(ordering.job);
  ordered.on<&knocked_node::on_knock>(&ordering);
  for (knocked_node* const here : {&plain, &ordering}) {
    here->join_by_hand();
    CHECK(here->job.handled_kind() == nullptr);
    if (here == &plain) here->feed("test.knock", writer(std::uint32_t{1}));
    else here->feed("ordered_messages", writer(std::uint64_t{0}, std::uint8_t{0}, std::uint32_t{1}));
    here->poll();
    CHECK(here->handled_kind == "test.knock");
  }
}

TEST_CASE("a struct without a handler cannot be sent: the error N03 names it and suggests the nearest") {
  knocked_node here;
  ordered_messages ordered(here.job);
  here.join_by_hand();
  const std::string text = test::thrown_by([&] { here.job.send(1, knack{}); });
  CHECK(testing::contains(text, "error N03: there is no handler called \"test.knack\""));
  CHECK(testing::contains(text, "did you mean \"test.knock\"?"));
  CHECK(testing::contains(test::thrown_by([&] { ordered.send(1, knack{}); }), "error N03"));
}

TEST_CASE("messages that arrive before a node has made its handlers are kept, and handled in order once it has") {
  const auto network = net::sim::network::make({.nodes = 2, .seed = 1});
  knocked_node early;
  early.job.start([&](net::handlers& all) { return network->join(0, all); });
  for (std::uint32_t n = 1; n <= 3; ++n) early.job.send(1, knock{n});
  for (int i = 0; i < 10; ++i) early.poll();
  knocked_node late;
  late.job.start([&](net::handlers& all) { return network->join(1, all); });
  while (early.job.is_pending() || late.job.is_pending()) early.poll(), late.poll();
  CHECK(late.numbers == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(late.loss_of(0) == "none");
}

}  // namespace stretto::dist
