// A transport that fails under one node while others use it: that node loses the others, and its runtime ends.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "dist/endpoint.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using test::thrown_by;

/// Forwards to another transport until it is told to break; then poll() throws.
class breakable final : public net::transport {
 public:
  breakable(std::unique_ptr<net::transport> whole, const net::handlers& all, const std::atomic<bool>& broken)
      : transport(all), whole_(std::move(whole)), broken_(broken) {
    whole_->on_lost([this](net::node_number n) { notify_lost(n); });
  }
  net::node_number self() const noexcept override { return whole_->self(); }
  std::uint32_t nodes() const noexcept override { return whole_->nodes(); }
  std::size_t poll() override {
    if (broken_.load()) throw std::runtime_error("the cable was pulled");
    return whole_->poll();
  }
  bool is_pending() const noexcept override { return whole_->is_pending(); }
  std::uint64_t outstanding_bytes() const noexcept override { return whole_->outstanding_bytes(); }
  net::traffic counted() const noexcept override { return whole_->counted(); }
  net::window& open_window(std::uint64_t bytes) override { return whole_->open_window(bytes); }

 private:
  void send_checked(const net::message& m) override { whole_->send(m); }

  std::unique_ptr<net::transport> whole_;
  const std::atomic<bool>& broken_;
};

class breakable_seat final : public dist::endpoint {
 public:
  breakable_seat(std::shared_ptr<job_endpoint> whole, const std::atomic<bool>& broken)
      : whole_(std::move(whole)), broken_(broken) {}
  std::uint16_t first() const noexcept override { return of().first(); }
  std::unique_ptr<net::transport> join(net::handlers& all) override {
    return std::make_unique<breakable>(of().join(all), all, broken_);
  }

 private:
  dist::endpoint& of() const { return dynamic_cast<dist::endpoint&>(*whole_); }
  std::shared_ptr<job_endpoint> whole_;
  const std::atomic<bool>& broken_;
};

int doubled(int x) { return 2 * x; }

TEST_CASE("if polling the network throws, the other nodes are lost with the reason, and the runtime ends") {
  const simulated_job job({.nodes = 2});
  std::atomic<bool> broken{false};
  std::thread other([&] { runtime rt({.workers = 1, .job = job.endpoint(1)}); });
  {
    runtime rt({.workers = 1, .job = std::make_shared<breakable_seat>(job.endpoint(0), broken)});
    rt.run([&] {
      CHECK(async(at_node(1), call<&doubled>(4)).get() == 8);
      const auto never = user_event::create();
      const future<int> waits = async(at_node(1), after(never), call<&doubled>(1));
      broken = true;
      const std::string why = thrown_by([&] { waits.get(); });
      CHECK(why.find("N05") != std::string::npos);
      CHECK(why.find("the cable was pulled") != std::string::npos);
      CHECK(thrown_by([&] { async(at_node(1), call<&doubled>(1)).get(); }).find("the cable was pulled") !=
            std::string::npos);
      CHECK(async(at_node(0), call<&doubled>(21)).get() == 42);
      never.trigger();
    });
    job.kill(0);  // as the other node sees it
  }
  other.join();
}

TEST_CASE("a network that breaks while the job ends does not keep the runtime from ending") {
  const simulated_job job({.nodes = 2});
  std::atomic<bool> broken{false};
  std::atomic<bool> is_ending{false}, has_ended{false};
  std::thread breaks([&] {
    while (!is_ending) std::this_thread::yield();
    broken = true;
    while (!has_ended)
      std::this_thread::yield();  // keeps this thread active: otherwise a hang could be reported before a poll fails
  });
  {
    runtime rt({.workers = 1, .job = std::make_shared<breakable_seat>(job.endpoint(0), broken)});
    rt.run([&] {});
    is_ending = true;  // the other node never leaves, so that only the failure can end the job
  }
  has_ended = true;
  breaks.join();
  CHECK(broken);
}

}  // namespace
}  // namespace stretto
