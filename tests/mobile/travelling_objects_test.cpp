// Objects as arguments and results of messages, and as members of mobile objects, on nodes with threads and devices;
// one property at a time.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/mobile.hpp>
#include <stretto/object.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "mobile/device_job.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::error_of;
using test::on_device_nodes;

STRETTO_KERNEL(travel_fill, (out<int> x, int value), { x(global_id(0)) = value + global_id(0); })
STRETTO_KERNEL(travel_plus, (inout<int> x, int by), { x(global_id(0)) += by; })
STRETTO_KERNEL(travel_sum, (inout<int> x, in<int> y), { x(global_id(0)) += y(global_id(0)); })

std::vector<int> content_of(const object<int>& o) {
  const auto held = o.read().get();
  const auto v = held.view();
  std::vector<int> all;
  for (coordinate i = v.min(0); i < v.max(0); ++i) all.push_back(v(i));
  return all;
}
std::vector<int> counted_from(int first, int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), first);
  return all;
}
object<int> filled(int n, int first) {
  object<int> o(box(0, n));
  launch(travel_fill, o.elements(), o, first);
  return o;
}

std::atomic<int> begun{0};
std::atomic<const void*> last_record{nullptr};

struct keeper {
  object<int> mine;

  void take(object<int> o) {
    last_record = o.handle().get();
    mine = std::move(o);
    ++begun;
  }
  void add(int by) { launch(travel_plus, mine.elements(), mine, by); }
  void add_all(const object<int>& o) { launch(travel_sum, o.elements(), mine, o); }
  object<int> given() const { return mine; }
  object<int> given_up() { return std::move(mine); }
  std::vector<int> content() const { return content_of(mine); }
  template <class Archive>
  friend void fields(Archive& a, archived<keeper, Archive>& k) {
    a(k.mine);
  }
};

template <class F>
std::string words_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

template <class F>
void on_first_with_devices(std::uint32_t nodes, F&& program) {
  test::on_first_of(nodes, 7, program);
}

constexpr int sizes[] = {1, 100, 5000, 300'000};  // in the message; by reference in one piece, in several

TEST_CASE("an object arrives at a local and a remote handler with the data of earlier launches") {
  on_first_with_devices(3, [] {
    for (const int n : sizes)
      for (std::uint32_t at = 0; at < 3; ++at) {
        const auto m = make_mobile<keeper>(at_node(at));
        send(m, call<&keeper::take>(filled(n, 5)));
        send(m, call<&keeper::add>(2));
        send(m, call<&keeper::add_all>(filled(n, 100)));
        auto expected = counted_from(107, n);
        for (int i = 0; i < n; ++i) expected[static_cast<std::size_t>(i)] += i;
        CHECK(send(m, call<&keeper::content>()).get() == expected);
        // A result is an object, too; later changes of the keeper do not show in it.
        const auto back = send(m, call<&keeper::given>());
        send(m, call<&keeper::add>(1000));
        CHECK(content_of(back.get()) == expected);
      }
  });
}

/// Each of two nodes has sent these to the other before either has begun to compute.
struct exchange {
  static constexpr int objects = 24, n = 5000;  // more than a place accepts at a time
  user_event begins;
  std::vector<mobile<keeper>> there;
};
exchange exchanges[2];

void send_all_to_the_other() {
  exchange& mine = exchanges[this_node()];
  mine.begins = user_event::create();
  for (int i = 0; i < exchange::objects; ++i) {
    mine.there.push_back(make_mobile<keeper>(at_node(1 - this_node())));
    object<int> o(box(0, exchange::n));
    launch(after(mine.begins), travel_fill, o.elements(), o, i);
    send(mine.there.back(), call<&keeper::take>(std::move(o))).get();
    send(mine.there.back(), call<&keeper::add>(1)).get();  // its launch waits for one that the other node has not begun
  }
}
void begin_here() { exchanges[this_node()].begins.trigger(); }

TEST_CASE("launches that wait for another node do not block those that it waits for") {
  for (const char* const policy : {"fifo", "locality", "earliest_finish", "work_stealing"}) {
    CAPTURE(policy);
    const test::with_variable by("STRETTO_SCHEDULER", policy);
    on_device_nodes(simulated_job({.nodes = 2, .seed = 3}), "sim", [] {
      if (this_node() != 0) return;
      for (std::uint32_t n = 0; n < 2; ++n) async(at_node(n), call<&send_all_to_the_other>()).get();
      for (std::uint32_t n = 0; n < 2; ++n) async(at_node(n), call<&begin_here>()).get();
      for (exchange& e : exchanges) {
        for (int i = 0; i < exchange::objects; ++i)
          CHECK(send(e.there[std::size_t(i)], call<&keeper::content>()).get() == counted_from(i + 1, exchange::n));
        e.there.clear();
      }
    });
  }
}

TEST_CASE("a handler has its own copy: later changes of the sender do not reach it, local or remote") {
  on_first_with_devices(2, [] {
    for (const int n : sizes)
      for (std::uint32_t at = 0; at < 2; ++at) {
        const auto m = make_mobile<keeper>(at_node(at));
        object<int> o = filled(n, 0);
        send(m, call<&keeper::take>(o));
        launch(travel_plus, o.elements(), o, 50);
        send(m, call<&keeper::add>(1));
        CHECK(send(m, call<&keeper::content>()).get() == counted_from(1, n));
        CHECK(content_of(o) == counted_from(50, n));
      }
  });
}

TEST_CASE("an object that its sender gives away is moved to a local handler, not copied") {
  on_first_with_devices(1, [] {
    const auto m = make_mobile<keeper>();
    object<int> o = filled(5000, 3);
    const void* const record = o.handle().get();
    send(m, call<&keeper::take>(std::move(o))).get();
    CHECK(last_record == record);
    object<int> kept = filled(5000, 3);
    send(m, call<&keeper::take>(kept)).get();
    CHECK(last_record != kept.handle().get());
    CHECK(send(m, call<&keeper::given_up>()).get().handle().get() == last_record);
  });
}

TEST_CASE("a handler begins before the data has arrived, and its launches wait for the data") {
  on_first_with_devices(2, [] {
    for (const int n : {100, 300'000})
      for (std::uint32_t at = 0; at < 2; ++at) {
        const auto m = make_mobile<keeper>(at_node(at));
        const int before = begun;
        const auto e = user_event::create();
        object<int> o(box(0, n));
        launch(after(e), travel_fill, o.elements(), o, 9);
        const auto taken = send(m, call<&keeper::take>(std::move(o)));
        send(m, call<&keeper::add>(1)).get();  // returns early, too
        CHECK(begun == before + 1);
        const auto seen = send(m, call<&keeper::content>());
        CHECK(!seen.is_ready());
        e.trigger();
        CHECK(seen.get() == counted_from(10, n));
        taken.get();
      }
  });
}

std::vector<int> read_here(const object<int>& o) { return content_of(o); }
object<int> doubled_object(object<int> o) {
  launch(travel_sum, o.elements(), o, filled(static_cast<int>(o.elements().length(0)), 0));
  return o;
}

TEST_CASE("remote functions take and return objects; a call that is used twice sends the data twice") {
  on_first_with_devices(3, [] {
    for (const int n : sizes) {
      const auto read = call<&read_here>(filled(n, 4));
      for (std::uint32_t at = 0; at < 3; ++at) CHECK(async(at_node(at), read).get() == counted_from(4, n));
      auto o = filled(n, 0);
      for (std::uint32_t at = 0; at < 3; ++at) o = async(at_node(at), call<&doubled_object>(std::move(o))).get();
      std::vector<int> expected = counted_from(0, n);
      for (int& x : expected) x *= 4;
      CHECK(content_of(o) == expected);
    }
  });
}

TEST_CASE("unwritten elements stay unwritten on another node, and written ones arrive") {
  on_first_with_devices(2, [] {
    for (std::uint32_t at = 0; at < 2; ++at) {
      object<int> o(box(0, 4000));
      launch(travel_fill, box(1000, 2000), o(box(1000, 2000)), 0);
      launch(travel_fill, box(3000, 3500), o(box(3000, 3500)), 1);
      const auto m = make_mobile<keeper>(at_node(at));
      send(m, call<&keeper::take>(o)).get();
      const auto sum = send(m, call(
                                   [](keeper& k, int from, int to) {
                                     const auto held = k.mine.read(box(from, to)).get();
                                     long all = 0;
                                     for (int i = from; i < to; ++i) all += held.view()(i);
                                     return all;
                                   },
                                   1000, 2000));
      CHECK(sum.get() == 1499500);
      CHECK(words_of([&] { send(m, call<&keeper::content>()).get(); }).find("error A03") != std::string::npos);
      send(m, call([](keeper& k) { launch(travel_fill, k.mine.elements(), k.mine, 0); }));
      CHECK(send(m, call<&keeper::content>()).get() == counted_from(0, 4000));
      send(m, call<&keeper::take>(object<int>())).get();
      CHECK(words_of([&] { send(m, call<&keeper::content>()).get(); }).find("error A02") != std::string::npos);
    }
  });
}

TEST_CASE("a mobile object migrates with its arrays, also with data of pending launches") {
  on_first_with_devices(4, [] {
    for (const int n : sizes) {
      const auto m = make_mobile<keeper>();
      const auto e = user_event::create();
      object<int> o(box(0, n));
      launch(after(e), travel_fill, o.elements(), o, 0);
      send(m, call<&keeper::take>(std::move(o)));
      int added = 0;
      for (std::uint32_t step = 1; step <= 12; ++step) {
        send(m, call<&keeper::add>(static_cast<int>(step)));
        added += static_cast<int>(step);
        migrate(m, at_node(step * 3 % 4));
        if (step == 6) e.trigger();
      }
      CHECK(send(m, call<&keeper::content>()).get() == counted_from(added, n));
      destroy(m).get();
    }
  });
}

STRETTO_KERNEL(travel_numbers, (out<float, 2> x, int seed), {
  int i = global_id(0), j = global_id(1);
  x(i, j) = (float)((i * 7 + j * 3 + seed) % 5 - 2);
})
STRETTO_KERNEL(travel_product, (in<float, 2> a, in<float, 2> b, out<float, 2> c, int n), {
  int i = global_id(0), j = global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a(i, k) * b(k, j);
  c(i, j) = sum;
})

using matrix = object<float, 2>;
std::atomic<int> taken_products{0};

/// Keeps a product, and then its product with another one.
struct multiplier {
  matrix own, both;

  void begin(event may_compute, int n, int seed) {
    const box whole({0, 0}, {n, n});
    matrix a(whole), b(whole);
    own = matrix(whole);
    launch(after(may_compute), travel_numbers, whole, a, seed);
    launch(travel_numbers, whole, b, seed + 1);
    launch(travel_product, whole, a, b, own, n);
  }
  void give(mobile<multiplier> to) const { send(to, call<&multiplier::take>(own)); }
  void take(matrix of_other) {
    both = matrix(own.elements());
    launch(travel_product, own.elements(), own, of_other, both, static_cast<int>(own.elements().length(0)));
    ++taken_products;
  }
  std::vector<float> result() const {
    std::vector<float> all(own.elements().volume());
    wait(both.copy_to(all.data()));
    return all;
  }
  template <class Archive>
  friend void fields(Archive& a, archived<multiplier, Archive>& m) {
    a(m.own, m.both);
  }
};

std::vector<float> numbers(int n, int seed) {
  std::vector<float> x;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) x.push_back(static_cast<float>((i * 7 + j * 3 + seed) % 5 - 2));
  return x;
}
std::vector<float> times(int n, const std::vector<float>& a, const std::vector<float>& b) {
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  std::vector<float> c(a.size());
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[at(i, j)] += a[at(i, k)] * b[at(k, j)];
  return c;
}

// Source: figure 5 of the PREMA paper on heterogeneous tasking.
TEST_CASE("two objects exchange products from handlers that all return before anything is computed") {
  on_first_with_devices(2, [] {
    for (const int n : {8, 70}) {
      const auto first = make_mobile<multiplier>(at_node(0)), second = make_mobile<multiplier>(at_node(1));
      const auto e = user_event::create();
      taken_products = 0;
      send(first, call<&multiplier::begin>(event(e), n, 1)).get();
      send(second, call<&multiplier::begin>(event(e), n, 10)).get();
      send(first, call<&multiplier::give>(second)).get();
      send(second, call<&multiplier::give>(first)).get();
      while (taken_products < 2) yield();
      const auto seen = send(first, call<&multiplier::result>()), too = send(second, call<&multiplier::result>());
      CHECK(!seen.is_ready());
      e.trigger();
      const auto a = times(n, numbers(n, 1), numbers(n, 2)), b = times(n, numbers(n, 10), numbers(n, 11));
      CHECK(seen.get() == times(n, a, b));  // whole numbers: no rounding
      CHECK(too.get() == times(n, b, a));
    }
  });
}

TEST_CASE("the failure of a launch reaches users of its data on another node, with its cause") {
  on_first_with_devices(2, [] {
    for (std::uint32_t at = 0; at < 2; ++at) {
      const auto m = make_mobile<keeper>(at_node(at));
      const auto e = user_event::create();
      object<int> o(box(0, 3000));
      const event never = launch(after(e), name("the fill"), travel_fill, o.elements(), o, 0);
      const auto taken = send(m, call<&keeper::take>(std::move(o)));
      const auto seen = send(m, call<&keeper::content>());
      e.poison(std::make_exception_ptr(std::runtime_error("no ink")));
      taken.get();
      CHECK(words_of([&] { seen.get(); }).find("no ink") != std::string::npos);
      CHECK_THROWS(wait(never));
      // Writing new data ends the failure.
      send(m, call([](keeper& k) { launch(travel_fill, k.mine.elements(), k.mine, 1); }));
      CHECK(send(m, call<&keeper::content>()).get() == counted_from(1, 3000));
    }
  });
}

std::string seen_there;

TEST_CASE("a node failure before the data has arrived fails the users of the data") {
  for (const char* const devices : {"none", "sim"}) {
    CAPTURE(devices);
    const simulated_job job({.nodes = 2, .seed = 3});
    std::atomic<bool> may_end{false};
    begun = 0;
    on_device_nodes(job, devices, [&] {
      if (this_node() == 1) {
        // The launch on this node never ends; then this node is cut off.
        const auto e = user_event::create();
        object<int> o(box(0, 3000));
        launch(after(e), travel_fill, o.elements(), o, 0);
        const auto told = async(at_node(0), call(
                                                [](object<int> o) {
                                                  ++begun;
                                                  seen_there = words_of([&] { o.read().get(); });
                                                },
                                                std::move(o)));
        while (!may_end) yield();
        CHECK(words_of([&] { told.get(); }).find("N05") != std::string::npos);
        e.trigger();
        return;
      }
      while (!begun) yield();
      job.cut(0, 1);
      may_end = true;
    });
    CHECK(seen_there.find("error N05: node N1 is lost") != std::string::npos);
  }
}

TEST_CASE("data that does not fit into the receiver's memory fails with A04 where it is used") {
  const test::with_variable small("STRETTO_HOST_MEMORY", "1M");
  on_device_nodes(simulated_job({.nodes = 2, .seed = 5}), "sim", [] {
    if (this_node() != 0) return;
    const auto m = make_mobile<keeper>(at_node(1));
    object<int> o(box(0, 1 << 20));  // 4 MiB, on the device of this node
    launch(on(device_kind::device), travel_fill, o.elements(), o, 0);
    send(m, call<&keeper::take>(std::move(o))).get();
    const std::string said = words_of([&] { send(m, call<&keeper::content>()).get(); });
    CAPTURE(said);
    CHECK(said.find("error A04") != std::string::npos);
    // The other device has enough memory, and the keeper is usable.
    send(m, call<&keeper::take>(filled(10, 0)));
    CHECK(send(m, call<&keeper::content>()).get() == counted_from(0, 10));
  });
}

TEST_CASE("an object cannot be converted to bytes outside of messages") {
  runtime rt({.workers = 1});
  rt.run([] {
    CHECK(error_of([] { to_bytes(filled(3, 0)); }).code() == "A09");
    CHECK(to_bytes(object<int>()).size() == 1);
  });
}

}  // namespace
}  // namespace stretto
