// Global pointers: puts and gets between objects and memory of two or three nodes with threads and devices, one thing
// at a time.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/global_object.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "function_reference.hpp"
#include "mobile/device_job.hpp"
#include "payloads.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::counted_from;
using test::error_of;
using test::on_device_nodes;
using test::thrown_by;

STRETTO_KERNEL(global_fill, (out<int> x, int value), { x(global_id(0)) = value + global_id(0); })
STRETTO_KERNEL(global_plus, (inout<int> x, int by), { x(global_id(0)) += by; })
STRETTO_KERNEL(global_grid, (out<int, 2> x, int value),
               { x(global_id(0), global_id(1)) = value + 100 * global_id(0) + global_id(1); })

std::vector<int> content_of(const object<int>& o) {
  std::vector<int> all(o.elements().volume());
  wait(o.copy_to(all.data()));
  return all;
}
object<int> filled(int n, int first) {
  object<int> o(box(0, n), {.name = "o"});
  launch(global_fill, o.elements(), o, first);
  return o;
}
/// Shares an object of that node with these values.
global_object<int> shared_on(std::uint32_t node, int n, int first) {
  return async(at_node(node), call([](int n, int first) { return share(filled(n, first)); }, n, first)).get();
}
std::vector<int> content_of(const global_object<int>& g) {
  std::vector<int> all(g.elements().volume());
  get(g, std::span(all)).get();
  return all;
}

void on_first_of(std::uint32_t nodes, test::function_reference<void()> program) {
  test::on_first_of(nodes, 11, program);
}

constexpr int sizes[] = {1, 100, 5000, 300'000};  // in the message; by number, in one piece, in several

TEST_CASE("what is put into an object of any node is there, behind what was launched before on both nodes") {
  on_first_of(2, [] {
    for (const int n : sizes)
      for (std::uint32_t at = 0; at < 2; ++at) {
        const auto there = shared_on(at, n, 1000);
        CHECK(there.node() == at);
        CHECK(there.elements() == box(0, n));
        object<int> mine = filled(n, 5);
        const auto done = put(mine, there);
        launch(global_plus, mine.elements(), mine, 70);  // a later write does not affect the put
        done.get();
        CHECK(content_of(there) == counted_from(5, n));
        CHECK(content_of(mine) == counted_from(75, n));
        unshare(there).get();
      }
  });
}

TEST_CASE("parts go to parts of other coordinates, of objects and of spans, and back") {
  on_first_of(2, [] {
    for (const int n : {40, 100'000})
      for (std::uint32_t at = 0; at < 2; ++at) {
        const auto there = shared_on(at, 3 * n, 0);
        std::vector<int> expected = counted_from(0, 3 * n);
        const object<int> mine = filled(2 * n, 500);
        put(mine(box(n / 2, n / 2 + n)), there(box(2 * n, 3 * n)));
        std::copy_n(counted_from(500 + n / 2, n).begin(), n, expected.begin() + 2 * n);
        const std::vector<int> numbers = counted_from(-9, n);
        put(std::span(numbers), there(box(7, 7 + n))).get();
        std::copy_n(numbers.begin(), n, expected.begin() + 7);
        CHECK(content_of(there) == expected);
        get(there(box(0, n)), mine(box(n, 2 * n))).get();
        std::vector<int> of_mine = counted_from(500, 2 * n);
        std::copy_n(expected.begin(), n, of_mine.begin() + n);
        CHECK(content_of(mine) == of_mine);
      }
  });
}

TEST_CASE("boxes of two axes go as they are, rows with gaps between") {
  on_first_of(2, [] {
    for (std::uint32_t at = 0; at < 2; ++at) {
      const box whole({0, 0}, {300, 40});
      const auto there = async(at_node(at), call(
                                                [](box whole) {
                                                  object<int, 2> o(whole);
                                                  launch(global_grid, whole, o, 0);
                                                  return share(o);
                                                },
                                                whole))
                             .get();
      object<int, 2> mine(whole);
      launch(global_grid, whole, mine, 7'000'000);
      put(mine(box({10, 5}, {210, 25})), there(box({50, 0}, {250, 20})));
      object<int, 2> seen(whole);
      get(there, seen).get();
      const auto held = seen.read().get();
      const auto v = held.view();
      int wrong = 0;
      for (coordinate i = 0; i < 300; ++i)
        for (coordinate j = 0; j < 40; ++j) {
          const bool is_put = i >= 50 && i < 250 && j < 20;
          wrong += v(i, j) != (is_put ? 7'000'000 + 100 * (i - 40) + j + 5 : 100 * i + j);
        }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("the handler of a put runs there once the elements are in place, and what it launches comes behind them") {
  on_first_of(3, [] {
    for (const int n : sizes)
      for (std::uint32_t at = 0; at < 3; ++at) {
        const auto there = shared_on(at, n, 0);
        const auto where = put(name("halo"), filled(n, 20), there,
                               call(
                                   [](object<int>& o, int by) {
                                     const int first = o.read(box(0, 1)).get().view()(0);
                                     launch(global_plus, o.elements(), o, by);
                                     return first * 10 + static_cast<int>(this_node());
                                   },
                                   3));
        CHECK(where.get() == 200 + static_cast<int>(at));
        CHECK(content_of(there) == counted_from(23, n));
        // A function that does not take it may have the name of it.
        const auto last = put(
            filled(n, 1), there,
            call([](const global_object<int>& g, int i) { return g.local().read().get().view()(i); }, there, n - 1));
        CHECK(last.get() == n);
      }
  });
}

TEST_CASE("the handler of a get runs where the elements come, and has the object into which they came") {
  on_first_of(2, [] {
    for (const int n : sizes)
      for (std::uint32_t at = 0; at < 2; ++at) {
        const auto there = shared_on(at, n, 3);
        const object<int> mine(box(0, n));
        const auto sum = get(there, mine,
                             call(
                                 [](object<int>& o, int by) {
                                   launch(global_plus, o.elements(), o, by);
                                   return content_of(o).front() + static_cast<int>(this_node());
                                 },
                                 10));
        CHECK(sum.get() == 13);
        CHECK(content_of(mine) == counted_from(13, n));
      }
  });
}

TEST_CASE("puts and gets of one node are done in its order, also when large ones are overtaken and when they wait") {
  on_first_of(2, [] {
    for (std::uint32_t at = 0; at < 2; ++at) {
      const auto there = shared_on(at, 400'000, 0);
      const std::string weight(100'000, 'w');  // a message that goes by rendezvous
      for (int round = 0; round < 10; ++round) {
        const auto first = put(filled(400'000, round), there,
                               call([](object<int>&, const std::string& s) { return s.size(); }, weight));
        put(filled(10, 1000 + round), there(box(0, 10)));
        std::vector<int> seen(400'000), later(10);
        const auto come = get(there, std::span(seen));
        put(filled(10, -5), there(box(0, 10)));
        const auto too = get(there(box(0, 10)), std::span(later));
        come.get(), too.get();
        std::vector<int> expected = counted_from(round, 400'000);
        std::copy_n(counted_from(1000 + round, 10).begin(), 10, expected.begin());
        CHECK(seen == expected);
        CHECK(later == counted_from(-5, 10));
        CHECK(first.get() == weight.size());
      }
    }
  });
}

TEST_CASE("the arguments of puts that have overtaken a large one are what they were") {
  on_first_of(2, [] {
    const auto there = shared_on(1, 10, 0);
    std::vector<std::pair<std::string, future<std::string>>> all;
    for (int i = 0; i < 40; ++i) {
      const std::string text(i % 4 ? 100 + i : 60'000, static_cast<char>('a' + i % 26));
      all.emplace_back(text,
                       put(filled(10, i), there, call([](object<int>&, const std::string& s) { return s; }, text)));
    }
    for (auto& [text, f] : all) CHECK((f.get() == text));
  });
}

TEST_CASE("a put that waits for an event lets its source go, and is done when that has happened") {
  on_first_of(2, [] {
    for (const int n : {50, 200'000})
      for (std::uint32_t at = 0; at < 2; ++at) {
        const auto there = shared_on(at, n, 0);
        const auto e = user_event::create();
        object<int> mine = filled(n, 40);
        const auto done = put(after(e), name("late"), mine, there);
        launch(global_plus, mine.elements(), mine, 1);
        CHECK(content_of(mine) == counted_from(41, n));  // which had to wait for the put to have read it
        CHECK(!done.is_ready());
        e.trigger();
        done.get();
        CHECK(content_of(there) == counted_from(40, n));
      }
  });
}

TEST_CASE("nodes that put what they have into one another's objects at the same time exchange it") {
  for (const char* const devices : {"none", "sim:2"}) {
    CAPTURE(devices);
    std::atomic<int> have_put{0};
    global_object<int> of[2];
    std::atomic<int> shared{0};
    on_device_nodes(simulated_job({.nodes = 2, .seed = 3, .latency_seconds = 1e-3}), devices, [&] {
      const auto me = this_node();
      const object<int> mine = filled(50'000, static_cast<int>(me) * 1'000'000);
      const auto e = user_event::create();
      launch(after(e), global_plus, mine.elements(), mine, 1);  // both are read behind this
      of[me] = share(mine);
      ++shared;
      while (shared < 2) yield();
      const auto done = put(mine, of[1 - me]);
      ++have_put;
      while (have_put < 2) yield();
      e.trigger();
      done.get();
      async(at_node(1 - me), call([] {})).get();
    });
    // In either order: each object has one of the two values, as a whole.
    CHECK(have_put == 2);
  }
}

TEST_CASE(
    "a failure crosses with its cause: to the future, to the handler that does not run, and to who reads the "
    "elements") {
  on_first_of(2, [] {
    for (const int n : {10, 3000})
      for (std::uint32_t at = 0; at < 2; ++at) {
        const auto there = shared_on(at, n, 0);
        const auto e = user_event::create();
        object<int> mine(box(0, n));
        const event never = launch(after(e), name("the fill"), global_fill, mine.elements(), mine, 0);
        const auto done = put(mine, there, call([](object<int>&) { return 1; }));
        const object<int> back(box(0, n));
        const auto come = get(there, back);
        e.poison(std::make_exception_ptr(std::runtime_error("no ink")));
        CHECK(thrown_by([&] { done.get(); }).find("no ink") != std::string::npos);
        CHECK(thrown_by([&] { come.get(); }).find("no ink") != std::string::npos);
        CHECK(thrown_by([&] { content_of(back); }).find("no ink") != std::string::npos);
        CHECK_THROWS(wait(never));
        const auto gate = user_event::create();
        const auto gated = put(after(gate), filled(n, 0), there);
        gate.poison(std::make_exception_ptr(std::runtime_error("no gate")));
        CHECK(thrown_by([&] { gated.get(); }).find("no gate") != std::string::npos);
        put(filled(n, 8), there).get();  // a new put replaces the poisoned data
        CHECK(content_of(there) == counted_from(8, n));
        const auto thrown =
            put(filled(n, 1), there, call([](object<int>&) -> int { throw std::runtime_error("no way"); }));
        CHECK(thrown_by([&] { thrown.get(); }).find("no way") != std::string::npos);
        CHECK(content_of(there) == counted_from(1, n));
      }
  });
}

TEST_CASE("unwritten elements cannot be put or got: A03") {
  on_first_of(2, [] {
    for (std::uint32_t at = 0; at < 2; ++at) {
      const auto there = async(at_node(at), call([] { return share(object<int>(box(0, 5000))); })).get();
      CHECK(thrown_by([&] { content_of(there); }).find("error A03") != std::string::npos);
      CHECK(thrown_by([&] { put(object<int>(box(0, 5000)), there).get(); }).find("error A03") != std::string::npos);
      put(filled(10, 2), there(box(100, 110))).get();  // these elements are written, whatever failed next to them
      std::vector<int> ten(10);
      get(there(box(100, 110)), std::span(ten)).get();
      CHECK(ten == counted_from(2, 10));
    }
  });
}

TEST_CASE("a name lasts until it is ended, after what was asked for before, and its object does so too") {
  on_first_of(2, [] {
    for (std::uint32_t at = 0; at < 2; ++at) {
      const auto there = shared_on(at, 5000, 0);
      const auto done = put(filled(5000, 1), there, call([](object<int>& o) { return content_of(o).back(); }));
      const auto ended = unshare(there);
      const auto late = put(filled(5000, 2), there);
      std::vector<int> seen(5000);
      const auto come = get(there, std::span(seen));
      CHECK(done.get() == 5000);
      ended.get();
      CHECK(thrown_by([&] { late.get(); }).find("error G07") != std::string::npos);
      CHECK(thrown_by([&] { come.get(); }).find("error G07") != std::string::npos);
      CHECK(thrown_by([&] { unshare(there).get(); }).find("error G07") != std::string::npos);
    }
    // An object may have several names, and ends with none of them while it has others.
    const object<int> mine = filled(10, 0);
    const auto one = share(mine), other = share(mine);
    CHECK(one != other);
    CHECK(one.local() == mine);
    unshare(one).get();
    put(filled(10, 9), other).get();
    CHECK(content_of(mine) == counted_from(9, 10));
  });
}

TEST_CASE("errors that are known at once are thrown in the call") {
  on_first_of(2, [] {
    const auto there = shared_on(1, 100, 0);
    const object<int> mine = filled(50, 0);
    const std::vector<int> numbers(50);
    std::vector<int> into(49);
    const global_object<int> none;
    CHECK(!none.is_valid());
    CHECK(error_of([&] { put(mine, none); }).code() == "G07");
    CHECK(error_of([&] { none.node(); }).code() == "G07");
    CHECK(error_of([&] { there.local(); }).code() == "G08");
    CHECK(error_of([&] { put(mine, there(box(60, 110))); }).code() == "A05");
    CHECK(error_of([&] { put(mine(box(10, 60)), there(box(0, 50))); }).code() == "A05");
    CHECK(error_of([&] { put(mine, there(box(0, 49))); }).code() == "A10");
    CHECK(error_of([&] { put(std::span(numbers), there(box(0, 49))); }).code() == "A10");
    CHECK(error_of([&] { get(there(box(0, 50)), std::span(into)); }).code() == "A10");
    CHECK(error_of([&] { put(object<int>(), there); }).code() == "A02");
    CHECK(error_of([&] { share(object<int>()); }).code() == "A02");
    CHECK(error_of([&] { from_bytes<global_object<double>>(to_bytes(there)); }).code() == "B40");
    CHECK(error_of([&] { from_bytes<global_object<int, 2>>(to_bytes(there)); }).code() == "B40");
    CHECK(from_bytes<global_object<int>>(to_bytes(there)) == there);
    put(mine(box(3, 3)), there(box(7, 7))).get();  // of nothing
    get(there(box(7, 7)), mine(box(3, 3))).get();
    CHECK(content_of(there) == counted_from(0, 100));
  });
}

TEST_CASE("a node that is lost fails what was put there and what was to come from it") {
  for (const char* const devices : {"none", "sim"}) {
    CAPTURE(devices);
    const simulated_job job({.nodes = 2, .seed = 3});
    std::atomic<int> step{0};
    on_device_nodes(job, devices, [&] {
      if (this_node() == 1) {
        while (step < 1) yield();
        return;
      }
      const auto there = shared_on(1, 3000, 0);
      const auto e = user_event::create();
      object<int> mine(box(0, 3000));
      launch(after(e), global_fill, mine.elements(), mine, 0);
      const auto done = put(mine, there);
      const object<int> back(box(0, 3000));
      const auto come = get(there, back);
      job.cut(0, 1);
      step = 1;
      CHECK(thrown_by([&] { done.get(); }).find("error N05: node N1 is lost") != std::string::npos);
      CHECK(thrown_by([&] { come.get(); }).find("error N05: node N1 is lost") != std::string::npos);
      e.trigger();
      CHECK(content_of(mine) == counted_from(0, 3000));  // its own data is unchanged
      CHECK(thrown_by([&] { put(mine, there).get(); }).find("error N05") != std::string::npos);
    });
  }
}

TEST_CASE("a program alone puts into its own objects") {
  runtime rt({.workers = 2});
  rt.run([] {
    const object<int> a = filled(10'000, 4), b = filled(10'000, 0);
    const auto there = share(b);
    put(a, there).get();
    CHECK(content_of(b) == counted_from(4, 10'000));
    put(b(box(0, 6000)), there(box(1000, 7000))).get();  // parts that overlap
    std::vector<int> expected = counted_from(4, 10'000);
    std::copy_n(counted_from(4, 6000).begin(), 6000, expected.begin() + 1000);
    CHECK(content_of(b) == expected);
    get(there, a).get();
    CHECK(content_of(a) == expected);
  });
}

TEST_CASE("what is put goes straight to the device on which the object lies, and to the host where it has no room") {
  const test::with_variable devices("STRETTO_DEVICES", "sim");
  on_device_nodes(simulated_job({.nodes = 2, .seed = 5}), "sim", [] {
    if (this_node() != 0) return;
    const auto there = async(at_node(1), call([] {
                               object<int> o(box(0, 100'000));
                               launch(on(device_kind::device), global_fill, o.elements(), o, 0);
                               return share(o);
                             }))
                           .get();
    object<int> mine(box(0, 100'000));
    launch(on(device_kind::device), global_fill, mine.elements(), mine, 6);
    const auto launches = put(mine, there, call([](object<int>& o) {
                                launch(on(device_kind::device), global_plus, o.elements(), o, 1);
                                return content_of(o).front();
                              }));
    CHECK(launches.get() == 7);
  });
  const test::with_variable small("STRETTO_HOST_MEMORY", "1M");
  on_device_nodes(simulated_job({.nodes = 2, .seed = 5}), "sim", [] {
    if (this_node() != 0) return;
    const auto there = async(at_node(1), call([] { return share(object<int>(box(0, 1 << 20))); })).get();
    object<int> mine(box(0, 1 << 20));  // 4 MiB, of the device here
    launch(on(device_kind::device), global_fill, mine.elements(), mine, 0);
    put(mine, there).get();  // to the device there
    std::vector<int> ten(10);
    get(there(box(1000, 1010)), std::span(ten)).get();
    CHECK(ten == counted_from(1000, 10));
    unshare(there).get();
  });
}

}  // namespace
}  // namespace stretto
