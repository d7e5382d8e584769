// Operations that are pending at a module and may never end: the job ends without them, unless a task waits for one.
#include <doctest/doctest.h>

#include <stretto/event.hpp>
#include <stretto/job.hpp>
#include <stretto/module.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "simulated.hpp"

namespace stretto {
namespace {

using namespace std::chrono_literals;

/// A module with one pending operation, which ends when `comes` is set, or is withdrawn at the end.
class mailbox final : public module, private poller {
 public:
  std::atomic<bool> comes{false}, was_taken_back{false};
  user_event come;

  std::string_view name() const noexcept override { return "mailbox"; }
  void initialise(module_host& host) override { host.add_poller(*this); }
  void started(runtime& owner) override {
    const attached_thread here(owner);
    come = user_event::create();
    add_pending();
  }
  void finalise() override {
    stop_polling();
    if (!pending()) return;
    was_taken_back = true;
    remove_pending();
  }

 private:
  std::size_t poll() override {
    if (!comes.exchange(false)) return 0;
    come.trigger();
    remove_pending();
    return 1;
  }
  bool may_never_end() const noexcept override { return true; }
  void fail(std::exception_ptr) noexcept override {}
};

void on_node(const std::shared_ptr<job_endpoint>& endpoint, const std::shared_ptr<mailbox>& mail, auto&& body) {
  runtime rt({.workers = 2, .job = endpoint, .modules = {mail}});
  rt.run(body);
}

TEST_CASE("an operation at a module that may never end does not keep the job from ending if no task waits") {
  for (const std::uint32_t nodes : {1u, 2u, 3u}) {
    CAPTURE(nodes);
    const simulated_job job({.nodes = nodes});
    std::vector<std::shared_ptr<mailbox>> mail;
    std::vector<std::thread> all;
    for (std::uint32_t n = 0; n < nodes; ++n) mail.push_back(std::make_shared<mailbox>());
    for (std::uint32_t n = 0; n < nodes; ++n)
      all.emplace_back(
          [&, n] { on_node(job.endpoint(n), mail[n], [&] { async(at_node((n + 1) % nodes), call([] {})); }); });
    for (auto& t : all) t.join();
    for (const auto& m : mail) CHECK(m->was_taken_back.load());
  }
}

TEST_CASE("a task that waits for such an operation keeps its job from ending until it completes") {
  const simulated_job job({.nodes = 2});
  const auto one = std::make_shared<mailbox>(), other = std::make_shared<mailbox>();
  std::atomic<bool> has_run{false};
  std::thread first([&] { on_node(job.endpoint(0), one, [&] { async(after(one->come), [&] { has_run = true; }); }); });
  std::thread second([&] { on_node(job.endpoint(1), other, [] {}); });
  std::this_thread::sleep_for(50ms);  // both are about to end
  CHECK(!has_run.load());
  one->comes = true;
  first.join();
  second.join();
  CHECK(has_run.load());
  CHECK(!one->was_taken_back.load());
  CHECK(other->was_taken_back.load());
}

}  // namespace
}  // namespace stretto
