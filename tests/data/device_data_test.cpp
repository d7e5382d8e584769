// Instances in device memory: copies, fills, launches, chains, errors. On all kinds of devices here.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/launch.hpp>
#include <stretto/native_device.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <random>

#include "campaign.hpp"
#include "device/kernels_for_tests.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

/// The values of option devices that work here.
const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all = test::usable_devices({"sim", "sim:3", "opencl:1"}, "data");
  return all;
}

struct site {
  place ram;
  std::vector<place> devices, memories;
};

site site_of(const runtime& rt) {
  return {rt.machine().memories()[0], rt.machine().places(place_kind::gpu),
          rt.machine().places(place_kind::gpu_memory)};
}

template <class Body>
void on_devices(Body&& body) {
  setenv("STRETTO_DEVICE_MEMORY", "16M", 1);
  for (const std::string& kind : kinds())
    for (const unsigned workers : {1u, 3u}) {
      INFO(kind << ", " << workers << " workers");
      runtime rt({.workers = workers, .devices = kind});
      rt.run([&] { body(site_of(rt)); });
    }
  unsetenv("STRETTO_DEVICE_MEMORY");
}

/// Host code that makes everything run on one thread; the device's time advances when the program polls.
template <class Body>
void stepped(const char* devices, std::uint64_t seed, Body&& body) {
  runtime rt({.workers = 2, .seed = seed, .devices = devices, .stepped = true});
  rt.run([&] { body(site_of(rt)); });
}

TEST_CASE("the driver's handles of a device are found by both of its places") {
  on_devices([](const site& s) {
    CHECK_FALSE(native_device_of(s.ram));
    CHECK_FALSE(native_device_of(place{}));
    for (std::size_t i = 0; i < s.devices.size(); ++i) {
      const auto its = native_device_of(s.devices[i]), same = native_device_of(s.memories[i]);
      REQUIRE(its);
      REQUIRE(same);
      const std::string& name = this_machine().name(s.devices[i]);
      CHECK(its->is == (name.starts_with("opencl") ? native_call::kind::opencl
                        : name.starts_with("cuda") ? native_call::kind::cuda
                                                   : native_call::kind::host));
      CHECK((its->context != nullptr) == (its->is != native_call::kind::host));
      CHECK((its->device != nullptr) == (its->is == native_call::kind::opencl));
      CHECK(its->context == same->context);
      CHECK(its->processor == s.devices[i]);
      CHECK(same->memory == s.memories[i]);
    }
  });
  CHECK(test::error_of([] { native_device_of(place{}); }).code() == "B20");
}

TEST_CASE("places of devices are part of the machine") {
  runtime rt({.workers = 1, .devices = "sim:2"});
  const platform& m = rt.machine();
  const place processor = m.at("sim_0"), memory = m.at("sim_1_memory");
  CHECK(m.kind(processor) == place_kind::gpu);
  CHECK(m.kind(memory) == place_kind::gpu_memory);
  CHECK(m.about(memory).capacity_bytes == 64u << 20);
  CHECK(m.nearest(processor, place_kind::gpu_memory) == m.at("sim_0_memory"));
  CHECK_FALSE(m.is_served(processor));
  CHECK(m.route(memory, m.memories()[0]));
  // Once written and read again, the memory is the device's again.
  const auto again = std::make_shared<const platform>(platform::parse(m.to_json()));
  runtime second({.workers = 1, .machine = again, .devices = "sim:2"});
  CHECK(second.machine() == *again);
}

TEST_CASE("data copied to a device, computed there and copied back equals the host's result") {
  on_devices([](const site& s) {
    constexpr int n = 60;
    const box whole({0, 0}, {n, n}), inside({1, 1}, {n - 1, n - 1});
    auto u = instance<float, 2>::create(at(s.ram), whole).made, v = instance<float, 2>::create(at(s.ram), whole).made;
    const event clear[] = {fill(u, 0.0f), fill(v, 0.0f)};
    wait(merge(clear));
    u.view()(n / 2, n / 3) = 64.0f;
    for (const place memory : s.memories) {
      auto a = instance<float, 2>::create(at(memory), whole).made,
           b = instance<float, 2>::create(at(memory), whole).made;
      auto back = instance<float, 2>::create(at(s.ram), whole).made;
      const event there = copy(u, a), empty = fill(b, 0.0f);
      event last = launch(after(there, empty), jacobi, inside, a, b, 0.25f);
      for (int step = 1; step < 10; ++step)
        last = step % 2 ? launch(after(last), jacobi, inside, b, a, 0.25f)
                        : launch(after(last), jacobi, inside, a, b, 0.25f);
      wait(copy(a, back, after(last)));
      auto x = instance<float, 2>::create(at(s.ram), whole).made, y = instance<float, 2>::create(at(s.ram), whole).made;
      const event begun[] = {copy(u, x), fill(y, 0.0f)};
      event host = merge(begun);
      for (int step = 0; step < 10; ++step)
        host = step % 2 ? launch(after(host), jacobi, inside, y, x, 0.25f)
                        : launch(after(host), jacobi, inside, x, y, 0.25f);
      wait(host);
      int wrong = 0;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) wrong += std::abs(back.view()(i, j) - x.view()(i, j)) > 1e-5f;
      CHECK(wrong == 0);
      a.destroy(), b.destroy(), back.destroy(), x.destroy(), y.destroy();
    }
    u.destroy(), v.destroy();
  });
}

TEST_CASE("parts of boxes arrive in their places, between host and device and within one") {
  on_devices([](const site& s) {
    std::mt19937 random(7);
    const place memory = s.memories.back();
    for (int round = 0; round < 20; ++round) {
      const box whole({-1, 2, 0}, {5, 9, 8});
      const auto piece = [&] {
        point min, size;
        for (int a = 0; a < 3; ++a) {
          min[a] = whole.min()[a] + static_cast<coordinate>(random() % 5);
          size[a] = 1 + static_cast<coordinate>(random() % static_cast<unsigned>(whole.max()[a] - min[a]));
        }
        return box(extent(size[0], size[1], size[2])).shifted(min);
      };
      const auto order = round % 2 ? axis_order::fortran : axis_order::c;
      auto from = instance<int, 3>::create(at(s.ram), whole).made, to = instance<int, 3>::create(at(s.ram), whole).made;
      auto d = instance<int, 3>::create(at(memory), whole, {.order = order}).made,
           e = instance<int, 3>::create(at(memory), whole).made;
      wait(launch(numbered, whole, from));
      const box first = piece(), second = piece(), third = piece();
      const event base[] = {fill(d, -1), fill(e, -2), fill(to, -3)};
      event last = copy(from, d, first, after(merge(base)));
      last = copy(d, e, second, after(last));
      last = copy(e, to, third, after(last));
      wait(last);
      int wrong = 0;
      for (int i = -1; i < 5; ++i)
        for (int j = 2; j < 9; ++j)
          for (int k = 0; k < 8; ++k) {
            const point p(i, j, k);
            const int expected = !third.contains(p)    ? -3
                                 : !second.contains(p) ? -2
                                 : !first.contains(p)  ? -1
                                                       : from.view()(i, j, k);
            wrong += to.view()(i, j, k) != expected;
          }
      CHECK(wrong == 0);
      from.destroy(), to.destroy(), d.destroy(), e.destroy();
    }
  });
}

template <class T>
void check_fill(const site& s, T value) {
  const box whole({0, 0}, {9, 7}), part({2, 3}, {8, 6});
  auto d = instance<T, 2>::create(at(s.memories[0]), whole).made, h = instance<T, 2>::create(at(s.ram), whole).made;
  T zero{};
  const event empty = fill(d, zero);
  const event last = fill(d, part, value, after(empty));
  wait(copy(d, h, after(last)));
  int wrong = 0;
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 7; ++j) {
      const T got = h.view()(i, j), expected = part.contains(point(i, j, 0)) ? value : zero;
      wrong += std::memcmp(&got, &expected, sizeof(T)) != 0;
    }
  CHECK(wrong == 0);
  d.destroy(), h.destroy();
}

TEST_CASE("fills of elements of all sizes") {
  on_devices([](const site& s) {
    check_fill<char>(s, 'x');
    check_fill<short>(s, 0x1234);
    check_fill<double>(s, 3.25);
    check_fill<std::array<int, 3>>(s, {1, 2, 3});
    check_fill<std::array<double, 2>>(s, {1, 2});
    check_fill<std::array<double, 5>>(s, {1, 2, 3, 4, 5});
  });
}

TEST_CASE("copies and fills of empty boxes end behind what they wait for") {
  on_devices([](const site& s) {
    auto d = instance<int>::create(at(s.memories[0]), {0, 8}).made, h = instance<int>::create(at(s.ram), {0, 8}).made;
    const event filled[] = {fill(d, 3), fill(h, 4)};
    const event last = launch(after(merge(filled)), add_one, box(0, 8), d);
    const event in = copy(h, d, box(2, 2), after(last)), cleared = fill(d, box(5, 5), 9, after(in));
    wait(copy(d, h, box(8, 8), after(cleared)));
    CHECK(last.has_triggered());
    CHECK(h.view()(2) == 4);
    wait(copy(d, h, std::vector<box>{}));
    wait(copy(d, h));
    CHECK(h.view()(5) == 4);
    d.destroy(), h.destroy();
  });
}

TEST_CASE("a long chain of launches and copies runs in order, forks side by side") {
  on_devices([](const site& s) {
    constexpr int lanes = 7, steps = 40;
    auto x = instance<int>::create(at(s.memories[0]), {0, 64}).made;
    event begin = fill(x, 0);
    std::vector<instance<int>> forks;
    std::vector<event> ends;
    event last = begin;
    for (int i = 0; i < steps; ++i) last = launch(after(last), add_one, box(0, 64), x);
    for (int f = 0; f < lanes; ++f) {
      forks.push_back(instance<int>::create(at(s.memories[0]), {0, 64}).made);
      event e = copy(x, forks.back(), after(last));
      for (int i = 0; i < f; ++i) e = launch(after(e), add_one, box(0, 64), forks.back());
      ends.push_back(e);
    }
    for (int f = 0; f < lanes; ++f) {
      auto h = instance<int>::create(at(s.ram), {0, 64}).made;
      wait(copy(forks[static_cast<std::size_t>(f)], h, after(ends[static_cast<std::size_t>(f)])));
      for (int i = 0; i < 64; ++i) CHECK(h.view()(i) == steps + f);
      h.destroy(), forks[static_cast<std::size_t>(f)].destroy();
    }
    x.destroy();
  });
}

TEST_CASE("faults that a simulated device is told to have are seen as its own") {
  const auto ends_with = [](const char* devices) {
    runtime rt({.workers = 2, .devices = devices});
    std::vector<std::string> codes;
    rt.run([&] {
      const place memory = rt.machine().places(place_kind::gpu_memory).front();
      auto made = instance<int>::create(at(memory), {0, 64});
      auto x = made.made;
      event last = fill(x, 1);
      for (int i = 0; i < 3; ++i) {
        const error e = test::error_of([&] { wait(launch(after(last), add_one, box(0, 64), x)); });
        codes.emplace_back(e.code());
      }
      x.destroy();
    });
    return codes;
  };
  using codes = std::vector<std::string>;
  const auto none = test::error_of([] {}).code();
  CHECK(ends_with("sim(fail_launch=2)") == codes{std::string(none), "K30", std::string(none)});
  CHECK(ends_with("sim(lose=2)") == codes{std::string(none), "K31", "K31"});
}

TEST_CASE("with copies among the kernels, or memory of the driver for each instance, results are the same") {
  for (const char* const option : {"STRETTO_TEST_DEVICE_COPY_STREAMS", "STRETTO_TEST_DEVICE_POOL"}) {
    const test::with_variable off(option, "0");
    on_devices([](const site& s) {
      const box all(0, 5000);
      auto x = instance<int>::create(at(s.ram), all).made, back = instance<int>::create(at(s.ram), all).made;
      wait(fill(x, 3));
      for (int round = 0; round < 3; ++round) {
        auto u = instance<int>::create(at(s.memories.front()), all).made,
             v = instance<int>::create(at(s.memories.front()), all).made;
        event here = copy(x, u), there = fill(v, round);
        event last = launch(after(here), add_one, all, u);
        event side = launch(after(there), add_one, all, v);
        last = copy(v, box(0, 2000), u, point(3000), after(last, side));
        for (int i = 0; i < 20; ++i) last = launch(after(last), add_one, box(1000, 4000), u);
        wait(copy(u, back, after(last)));
        for (int i : {0, 999, 1000, 2999, 3000, 3999, 4000, 4999})
          CHECK(back.view()(i) == (i < 3000 ? 4 : 1 + round) + (i >= 1000 && i < 4000 ? 20 : 0));
        u.destroy(), v.destroy();
      }
      x.destroy(), back.destroy();
    });
  }
}

TEST_CASE("copies between two devices go by way of the host") {
  runtime rt({.workers = 2, .devices = "sim:2"});
  rt.run([&] {
    const site s = site_of(rt);
    constexpr coordinate n = 300'000;
    auto h = instance<int>::create(at(s.ram), {0, n}).made, back = instance<int>::create(at(s.ram), {0, n}).made;
    std::iota(h.data(), h.data() + n, 3);
    auto a = instance<int>::create(at(s.memories[0]), {0, n}).made,
         b = instance<int>::create(at(s.memories[1]), {0, n}).made;
    const event there = copy(h, a);
    const event across = copy(a, b, after(there));
    const event more = launch(after(across), add_one, box(0, n), b);
    wait(copy(b, back, after(more)));
    int wrong = 0;
    for (coordinate i = 0; i < n; ++i) wrong += back.view()(i) != i + 4;
    CHECK(wrong == 0);
    h.destroy(), back.destroy(), a.destroy(), b.destroy();
  });
}

TEST_CASE("stepped, with any seed, the result is the same") {
  for (std::uint64_t seed = 0; seed < test::scaled_of_one_thread(30u, 1'000u); ++seed)
    stepped("sim:2", seed, [](const site& s) {
      std::vector<instance<int>> all;
      std::vector<event> ends;
      for (int i = 0; i < 6; ++i) {
        auto d = instance<int>::create(at(s.memories[static_cast<std::size_t>(i % 2)]), {0, 100}).made;
        auto h = instance<int>::create(at(s.ram), {0, 100}).made;
        event e = fill(d, i);
        for (int k = 0; k < i; ++k) e = launch(after(e), add_one, box(0, 100), d);
        e = copy(d, h, after(e));
        ends.push_back(e);
        all.push_back(h);
        d.destroy(after(e));
      }
      wait(merge(ends));
      for (int i = 0; i < 6; ++i) CHECK(all[static_cast<std::size_t>(i)].view()(99) == 2 * i);
      for (auto& h : all) h.destroy();
    });
}

TEST_CASE("a kernel that fails poisons what was put behind it, and nothing else") {
  setenv("STRETTO_CHECK", "1", 1);
  for (const bool chained : {true, false}) {
    runtime rt({.workers = 2, .devices = "sim"});
    rt.run([&] {
      const site s = site_of(rt);
      auto a = instance<int>::create(at(s.memories[0]), {0, 10}).made,
           b = instance<int>::create(at(s.memories[0]), {0, 10}).made;
      auto h = instance<int>::create(at(s.ram), {0, 10}).made;
      const event filled[] = {fill(a, 1), fill(b, 1)};
      event beyond = launch(after(filled[0]), add_one, box(0, 11), a);
      if (!chained) {
        CHECK(test::thrown_by([&] { wait(beyond); }).find("error K01: kernel \"add_one\"") == 0);
      }
      const event next = launch(after(beyond), add_one, box(0, 10), a);
      const event out = copy(a, h, after(next));
      const std::string error_text = test::thrown_by([&] { wait(out); });
      CHECK(error_text.find("K01") != std::string::npos);
      CHECK(error_text.find("copy of") != std::string::npos);
      CHECK(error_text.find("add_one") != std::string::npos);
      CHECK_FALSE(test::thrown_by([&] { wait(beyond); }) == "nothing was thrown");
      wait(launch(after(filled[1]), add_one, box(0, 10), b));
      a.destroy(), b.destroy(), h.destroy();
    });
  }
  unsetenv("STRETTO_CHECK");
}

TEST_CASE("the timeline has a track for each stream of a device, and arrows from kernel to kernel") {
  const test::temporary_folder folder;
  const std::string file = (folder.path / "run.json").string();
  {
    runtime rt({.workers = 1, .devices = "sim", .trace = file});
    rt.run([&] {
      const site s = site_of(rt);
      auto h = instance<int>::create(at(s.ram), {0, 64}).made,
           x = instance<int>::create(at(s.memories[0]), {0, 64}).made;
      wait(fill(h, 1));
      event last = copy(h, x);
      for (int i = 0; i < 5; ++i) last = launch(after(last), add_one, box(0, 64), x);
      wait(copy(x, h, after(last)));
      h.destroy(), x.destroy();
    });
  }
  const auto all = nlohmann::json::parse(std::ifstream(file)).at("traceEvents");
  std::map<std::string, int> track;  // by name
  for (const auto& e : all)
    if (e.at("ph") == "M" && e.at("name") == "thread_name") track[e.at("args").at("name")] = e.at("tid");
  std::map<std::string, int> spans;  // by category and track
  int arrows = 0, kernels = 0;
  for (const auto& e : all) {
    if (e.at("ph") == "X")
      for (const auto& [name, tid] : track)
        if (e.at("tid") == tid) ++spans[std::string(e.at("cat")) + " on " + name];
    for (const auto& [name, tid] : track)
      arrows += e.at("ph") == "f" && e.at("tid") == tid && name.starts_with("sim_0 stream");
  }
  // They share one stream if each is submitted before the one before has ended.
  for (const auto& [name, n] : spans) kernels += name.starts_with("kernel on sim_0 stream") ? n : 0;
  CHECK(kernels == 5);
  CHECK(spans["copy on sim_0 copies in"] == 1);
  CHECK(spans["copy on sim_0 copies out"] == 1);
  CHECK(arrows >= 5);
}

TEST_CASE("operations that nobody waits for end before the runtime does") {
  for (const std::string& kind : kinds()) {
    auto result = std::make_unique<int[]>(64);
    {
      runtime rt({.workers = 2, .devices = kind});
      rt.run([&] {
        const site s = site_of(rt);
        auto x = instance<int>::create(at(s.memories[0]), {0, 64}).made;
        event last = fill(x, 5);
        for (int i = 0; i < 50; ++i) last = launch(after(last), add_one, box(0, 64), x);
        last = copy(x, instance<int>::external(result.get(), {0, 64}), after(last));
        x.destroy(after(last));
      });
    }
    CHECK(result[0] == 55);
    CHECK(result[63] == 55);
  }
}

TEST_CASE("an error for lack of device memory gives bytes") {
  setenv("STRETTO_DEVICE_MEMORY", "1M", 1);
  runtime rt({.workers = 1, .devices = "sim"});
  unsetenv("STRETTO_DEVICE_MEMORY");
  rt.run([&] {
    const site s = site_of(rt);
    auto [a, ready] = instance<double>::create(at(s.memories[0]), {0, 100'000});
    wait(ready);
    auto [b, never] = instance<double>::create(at(s.memories[0]), {0, 100'000});
    const std::string error_text = test::thrown_by([&, e = never] { wait(e); });
    CHECK(error_text.find("error D03") == 0);
    CHECK(error_text.find("memory \"sim_0_memory\"") != std::string::npos);
    CHECK(error_text.find("248,576 bytes") != std::string::npos);
    // A destruction frees memory for an earlier creation that waits.
    const event gone = a.destroy(after(fill(a, 1.0)));
    auto [c, later] = instance<double>::create(at(s.memories[0]), {0, 100'000}, after(gone));
    wait(fill(c, 2.0));
    b.destroy(), c.destroy();
  });
}

TEST_CASE("arrays that lie apart, or elsewhere than the launch, are refused in the call") {
  runtime rt({.workers = 1, .devices = "sim:2"});
  rt.run([&] {
    const site s = site_of(rt);
    auto h = instance<float, 2>::create(at(s.ram), {{0, 0}, {4, 4}}, {.name = "u"}).made;
    auto a = instance<float, 2>::create(at(s.memories[0]), {{0, 0}, {4, 4}}, {.name = "v"}).made;
    const box inside({1, 1}, {3, 3});
    const std::string apart = test::thrown_by([&] { launch(jacobi, inside, h, a, 1.0f); });
    CHECK(apart.find("error K28: kernel \"jacobi\" is launched on arrays in different memories") == 0);
    CHECK(apart.find("instance \"v\" is in \"sim_0_memory\"") != std::string::npos);
    const auto refused = [&](auto where, auto& x, auto& y) {
      return test::thrown_by([&] { launch(where, jacobi, inside, x, y, 1.0f); });
    };
    CHECK(refused(on(s.devices[1]), a, a).find("on device \"sim_1\", but its arrays are elsewhere") !=
          std::string::npos);
    CHECK(refused(on(s.devices[0]), h, h).find("on device \"sim_0\", but its arrays are elsewhere") !=
          std::string::npos);
    CHECK(refused(at(s.ram), a, a).find("on the host, but its arrays are in the memory of device \"sim_0\"") !=
          std::string::npos);
    wait(launch(on(s.devices[0]), jacobi, inside, a, a, 1.0f));
    CHECK(test::thrown_by([&] { a.view(); }).find("error D15") == 0);
    auto n = instance<int>::create(at(s.ram), {0, 4}).made;
    auto d = instance<float>::create(at(s.memories[0]), {0, 4}).made,
         e = instance<float>::create(at(s.ram), {0, 4}).made;
    CHECK(test::thrown_by([&] { gather(d, n, e); }).find("error D12") == 0);
    h.destroy(), a.destroy(), n.destroy(), d.destroy(), e.destroy();
  });
}

}  // namespace
}  // namespace stretto
