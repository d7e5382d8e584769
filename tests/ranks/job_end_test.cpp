// The end of a job of ranks on the simulated network: nodes fail, and ranks end the job, in every order.
#include "ranks/nodes/job_end.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "event/event_world.hpp"
#include "net/sim/network.hpp"

using namespace stretto;

namespace {

struct seen_end {
  int code;
  std::string message;
};

/// The end of the job as one node sees it. A rank of it may end the job.
struct ending_node {
  ending_node(net::sim::network& network, dist::rank number)
      : end(job, [this](int code, const std::string& message) { seen.push_back({code, message}); }), world(number) {
    job.start([&](net::handlers& all) { return network.join(number, all); });
    context.runtime = &world.runtime;
    detail::enter_events(context);
  }
  ~ending_node() { detail::leave_events(context); }

  template <class F>
  void run(F&& f) {
    base::thread_context* const before = base::set_current(&context);
    f();
    base::set_current(before);
  }
  void poll() {
    run([&] { job.poll(); });
  }
  /// Its process ends: as the nodes have agreed, or since the rank that has asked has also printed its message.
  bool has_exited() { return !seen.empty() || end.all_know().is_done(); }

  dist::job job;
  ranks::job_end end;
  testing::event_world world;
  base::thread_context context;
  std::vector<seen_end> seen;
  int code = 0;  // that a rank of it has asked for
  bool is_over = false;
};

/// The messages of all nodes, and their exit codes.
struct ended_job {
  std::vector<std::string> messages;
  std::vector<int> codes;
};

class ending_job {
 public:
  ending_job(std::uint32_t nodes, std::uint64_t seed)
      : network_(net::sim::network::make({.nodes = nodes, .seed = seed})), random_(seed) {
    for (std::uint32_t n = 0; n < nodes; ++n) all_.emplace_back(*network_, static_cast<dist::rank>(n));
  }

  /// The process of a node ends without a word.
  void fail(std::size_t n) {
    all_[n].is_over = true;
    network_->kill(static_cast<dist::rank>(n));
  }
  void cut(std::size_t one, std::size_t other) {
    network_->cut(static_cast<dist::rank>(one), static_cast<dist::rank>(other));
  }
  void request_end(std::size_t n, int code) {
    all_[n].code = code;
    all_[n].run([&] { all_[n].end.request_end(code); });
  }
  void poll_some(std::uint64_t times) {
    for (; times > 0; --times) poll(random_() % all_.size());
  }
  ended_job settle() {
    for (std::uint64_t i = 0; is_any_running(); ++i) {
      REQUIRE(i < 1'000'000);
      poll(random_() % all_.size());
    }
    return result_;
  }

 private:
  bool is_any_running() const {
    return std::ranges::any_of(all_, [](const ending_node& n) { return !n.is_over; });
  }
  void poll(std::size_t n) {
    ending_node& one = all_[n];
    if (one.is_over) return;
    one.poll();
    if (!one.has_exited()) return;
    const seen_end how = one.seen.empty() ? seen_end{one.code, "a rank of node " + std::to_string(n)} : one.seen[0];
    if (!how.message.empty()) result_.messages.push_back(how.message);
    result_.codes.push_back(how.code);
    fail(n);
  }

  std::shared_ptr<net::sim::network> network_;
  std::deque<ending_node> all_;
  std::mt19937_64 random_;
  ended_job result_;
};

std::uint64_t seeds() { return test::scaled_of_one_thread<std::uint64_t>(300, 10'000); }

}  // namespace

TEST_CASE("if a node of ranks fails, all others end with one message, which names it") {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    CAPTURE(seed);
    const std::uint32_t nodes = 2 + static_cast<std::uint32_t>(seed % 6);
    ending_job job(nodes, seed);
    const std::size_t fails = seed / 6 % nodes;
    job.fail(fails);
    const ended_job end = job.settle();
    REQUIRE(end.messages.size() == 1);
    REQUIRE(end.messages[0].starts_with("error R94: node N" + std::to_string(fails) + " has failed"));
    REQUIRE(end.codes == std::vector<int>(nodes - 1, 1));
  }
}

TEST_CASE("if ranks of all nodes end the job at once, one reports, and all end with its code") {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    CAPTURE(seed);
    const std::uint32_t nodes = 2 + static_cast<std::uint32_t>(seed % 6);
    ending_job job(nodes, seed);
    for (std::uint32_t n = 0; n < nodes; ++n) {
      job.request_end(n, 10 + static_cast<int>(n));
      job.poll_some(seed % 5);
    }
    const ended_job end = job.settle();
    REQUIRE(end.messages.size() == 1);
    const int code = 10 + std::stoi(end.messages[0].substr(sizeof "a rank of node"));
    REQUIRE(end.codes == std::vector<int>(nodes, code));
  }
}

TEST_CASE("if nodes fail and ranks end the job meanwhile, all nodes end, and at most one message for each failure") {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const std::uint32_t nodes = 3 + static_cast<std::uint32_t>(seed % 5);
    ending_job job(nodes, seed);
    const std::uint64_t fail_first = random() % nodes, fail_second = random() % nodes, asks = random() % nodes;
    job.fail(fail_first);
    job.poll_some(random() % 40);
    if (asks != fail_first) job.request_end(asks, 7);
    job.poll_some(random() % 40);
    job.fail(fail_second);
    const ended_job end = job.settle();
    REQUIRE(end.messages.size() <= 2);
  }
}

TEST_CASE("a node that only one other cannot reach is reported as failed") {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    CAPTURE(seed);
    ending_job job(4, seed);
    job.cut(2, 3);
    const ended_job end = job.settle();
    REQUIRE(end.messages.size() == 1);
    REQUIRE((end.messages[0].starts_with("error R94: node N2 ") || end.messages[0].starts_with("error R94: node N3 ")));
    REQUIRE(end.codes == std::vector<int>(4, 1));
  }
}
