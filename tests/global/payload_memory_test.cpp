// Data transfers while device memory is scarce: a transfer takes no memory from launches that it waits for, and goes
// through the host if a device cannot hold both ends.
#include <doctest/doctest.h>

#include <stretto/global_object.hpp>
#include <stretto/job.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "data/other_nodes.hpp"
#include "mobile/device_job.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(crowded_fill, (out<int> x, int first), { x(global_id(0)) = first + global_id(0); })
STRETTO_KERNEL(crowded_plus, (inout<int> x, int by), { x(global_id(0)) += by; })

const box large(0, 300'000), most_of_it(0, 250'000);  // 1.2 and 1 MB
constexpr const char* crowded = "sim(memory=2M)";

using values = std::vector<int>;
values counted(int first, const box& b) {
  values v(b.volume());
  std::iota(v.begin(), v.end(), first);
  return v;
}
long long sum_of_all(const object<int>& o) {
  values seen(o.elements().volume());
  wait(o.copy_to(seen.data()));
  return std::accumulate(seen.begin(), seen.end(), 0LL);
}

/// Nodes that put data into one another's objects before a launch has computed it.
struct crowded_nodes {
  struct node {
    std::unique_ptr<runtime> is;
    object<int> mine = {}, target = {};
    global_object<int> there = {};
    user_event gate = {};
    event launched = {};
    future<void> put = {};
    values seen = {};
  };
  simulated_job job;
  std::vector<node> all;

  explicit crowded_nodes(std::uint32_t nodes) : job({.nodes = nodes, .seed = 1}), all(nodes) {
    for (std::uint32_t n = 0; n < nodes; ++n)
      all[n].is = std::make_unique<runtime>(
          runtime_options{.workers = 1, .devices = crowded, .stepped = true, .job = job.endpoint(n)});
  }
  template <class F>
  void each(F&& f) {
    for (std::size_t n = 0; n < all.size(); ++n) {
      const attached_thread here(*all[n].is);
      f(all[n], all[(n + 1) % all.size()]);
    }
  }
  template <class F>
  bool step_until(F&& is_so) {
    for (int i = 0; i < 100'000; ++i) {
      bool so = true;
      each([&](node& a, node&) { so = so && is_so(a); });
      if (so) return true;
      for (node& a : all) a.is->step();
    }
    return false;
  }
};

TEST_CASE("content that has yet to come takes no room from the launch that it waits for") {
  for (const std::uint32_t nodes : {1, 2, 3}) {
    CAPTURE(nodes);
    crowded_nodes job(nodes);
    using node = crowded_nodes::node;
    job.each([](node& a, node&) {
      a.mine = object<int>(large, counted(5, large).data());
      a.target = object<int>(most_of_it);
      a.there = share(a.target);
      a.launched = launch(on(device_kind::device), crowded_fill, most_of_it, a.target, 0);
    });
    REQUIRE(job.step_until([](node& a) { return a.launched.has_triggered(); }));
    job.each([](node& a, node& next) {
      a.gate = user_event::create();
      a.launched = launch(on(device_kind::device), after(a.gate), crowded_plus, large, a.mine, 1);
      a.put = put(a.mine(most_of_it), next.there);
    });
    for (int i = 0; i < 1000; ++i)
      for (node& a : job.all) a.is->step();
    job.each([](node& a, node&) { a.gate.trigger(); });
    REQUIRE(job.step_until([](node& a) { return a.put.is_ready() && a.launched.has_triggered(); }));
    job.each([](node& a, node&) {
      a.put.get();
      a.seen.resize(most_of_it.volume());
      a.launched = a.target.copy_to(a.seen.data());
    });
    REQUIRE(job.step_until([](node& a) { return a.launched.has_triggered(); }));
    job.each([](node& a, node&) { CHECK(a.seen == counted(6, most_of_it)); });
    job.each([](node& a, node& next) { a.put = unshare(next.there); });
    REQUIRE(job.step_until([](node& a) { return a.put.is_ready(); }));
    job.each([](node& a, node&) { a.mine = {}, a.target = {}, a.put = {}; });
    for (node& a : job.all) a.is->leave();
    REQUIRE(job.step_until([](node& a) { return a.is->is_job_over(); }));
  }
}

TEST_CASE("an object that its sender keeps is copied by the host where the device has no room for both") {
  runtime rt({.workers = 2, .devices = crowded});
  rt.run([] {
    object<int> x(large);
    launch(on(device_kind::device), crowded_fill, large, x, 5);
    const long long expected = 5 * 300'000LL + 299'999LL * 300'000 / 2;
    auto there = async(at_node(0), call<&sum_of_all>(x));
    launch(on(device_kind::device), crowded_plus, large, x, 1);
    CHECK(there.get() == expected);
    CHECK(sum_of_all(x) == expected + 300'000);
  });
}

TEST_CASE("a whole copy that exceeds the memory of every device is assembled on the host") {
  runtime rt({.workers = 2, .devices = crowded});
  rt.run([] {
    const box all(0, 750'000);  // 3 MB
    object<int> x(all);
    for (int first = 0; first < 750'000; first += 62'500) {
      const box part(first, first + 62'500);
      launch(on(device_kind::device), crowded_fill, part, x(part), 0);
    }
    values seen(all.volume());
    wait(x.copy_to(seen.data()));
    for (std::size_t first = 0; first < seen.size(); first += 62'500)
      CHECK(std::equal(seen.begin() + std::ptrdiff_t(first), seen.begin() + std::ptrdiff_t(first + 62'500),
                       counted(int(first), box(0, 62'500)).begin()));
  });
}

}  // namespace
}  // namespace stretto
