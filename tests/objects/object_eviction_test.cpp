// Redundant replicas (valid elsewhere, or nowhere) are freed before a launch is refused for lack of memory.
#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::with_variable;

STRETTO_KERNEL(eviction_plus, (inout<float> x, float by), { x(global_id(0)) += by; })
STRETTO_KERNEL(eviction_mean, (in<float> x, in<float> y, out<float> z),
               { z(global_id(0)) = 0.5f * (x(global_id(0)) + y(global_id(0))); })
STRETTO_KERNEL(eviction_fill, (out<float> x, float value), { x(global_id(0)) = value; })
STRETTO_KERNEL(eviction_add_first, (in<float> x, inout<float> y), { y(global_id(0)) += x(0); })
STRETTO_KERNEL(eviction_look, (in<float> x), { (void)x(global_id(0)); })

constexpr int n = 4096;  // 16 KiB
const box all(0, n);

/// Objects with initial data, stored on the host.
std::vector<object<float>> on_host(int count) {
  std::vector<object<float>> made;
  for (int i = 0; i < count; ++i) made.emplace_back(all, std::vector<float>(n, static_cast<float>(i)).data());
  return made;
}

std::vector<float> content(const object<float>& o) {
  std::vector<float> seen(n);
  wait(o.copy_to(seen.data()));
  return seen;
}

/// Objects stored on the host, of which a device then changes each element: the host's replicas are stale.
std::vector<object<float>> changed_by_device(int count) {
  auto made = on_host(count);
  finish([&] {
    for (const auto& o : made) launch(on(device_kind::device), eviction_plus, all, o, 1.0f);
  });
  return made;
}
void check_changed(const std::vector<object<float>>& changed) {
  for (std::size_t i = 0; i < changed.size(); ++i)
    CHECK(content(changed[i]) == std::vector<float>(n, static_cast<float>(i) + 1));
}

TEST_CASE("replicas that a device has changed take no memory from launches on the host") {
  const with_variable host("STRETTO_HOST_MEMORY", "64k");
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([] {
    const auto changed = changed_by_device(4);  // the host is full
    object<float> more(all), and_more(all);
    wait(launch(on(device_kind::host), eviction_fill, all, more, 7.0f));
    wait(launch(on(device_kind::host), eviction_fill, all, and_more, 8.0f));
    CHECK(content(more) == std::vector<float>(n, 7));
    CHECK(content(and_more) == std::vector<float>(n, 8));
    check_changed(changed);
  });
}

TEST_CASE("replicas that a device only reads take no memory from launches on the host either") {
  const with_variable host("STRETTO_HOST_MEMORY", "64k");
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([] {
    const auto read = on_host(4);
    finish([&] {
      for (const auto& o : read) launch(on(device_kind::device), eviction_look, all, o);
    });
    object<float> more(all);
    wait(launch(on(device_kind::host), eviction_fill, all, more, 7.0f));
    CHECK(content(more) == std::vector<float>(n, 7));
    for (std::size_t i = 0; i < 4; ++i) CHECK(content(read[i]) == std::vector<float>(n, static_cast<float>(i)));
  });
}

TEST_CASE(
    "a replica in the middle of a memory is evicted if the rest is needed in one piece, even if the launch uses it "
    "itself") {
  const with_variable device("STRETTO_DEVICE_MEMORY", "64k");
  for (const bool is_own : {true, false}) {
    CAPTURE(is_own);
    runtime rt({.workers = 2, .devices = "sim"});
    rt.run([&] {
      const box quarter(0, 4 * 1024), tenth(0, 1600), large(0, 12 * 1024);  // 16, 6 and 48 KiB
      object<float> below(quarter), middle(tenth), wide(large, std::vector<float>(12 * 1024, 5).data());
      wait(launch(on(device_kind::device), eviction_fill, quarter, below, 1.0f));
      wait(launch(on(device_kind::device), eviction_fill, tenth, middle, 2.0f));
      below.remove_from_devices();
      // 58 KiB are free, but not 48 in one piece.
      if (is_own) wait(launch(on(device_kind::device), eviction_add_first, large, middle, wide));
      else wait(launch(on(device_kind::device), eviction_plus, large, wide, 2.0f));
      std::vector<float> seen(12 * 1024), in_the_middle(1600);
      wait(wide.copy_to(seen.data()));
      wait(middle.copy_to(in_the_middle.data()));
      CHECK(seen == std::vector<float>(12 * 1024, 7));
      CHECK(in_the_middle == std::vector<float>(1600, 2));
    });
  }
}

/// One object that only the device has, which leaves it first, and four more with redundant replicas on the host.
struct full_memories {
  object<float> first{all};
  std::vector<object<float>> changed = on_host(4);
  full_memories() {
    wait(launch(on(device_kind::device), eviction_fill, all, first, 6.0f));
    finish([&] {
      for (const auto& o : changed) launch(on(device_kind::device), eviction_plus, all, o, 1.0f);
    });
  }
  void check() const {
    CHECK(content(first) == std::vector<float>(n, 6));
    check_changed(changed);
  }
};

TEST_CASE("eviction from a device replaces redundant replicas of the host") {
  const with_variable host("STRETTO_HOST_MEMORY", "64k"), device("STRETTO_DEVICE_MEMORY", "80k");
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([] {
    const full_memories before;
    object<float> more(all);
    wait(launch(on(device_kind::device), eviction_fill, all, more, 7.0f));
    CHECK(content(more) == std::vector<float>(n, 7));
    before.check();
  });
}

TEST_CASE("eviction from a device does not wait for views of the program") {
  const with_variable host("STRETTO_HOST_MEMORY", "64k"), device("STRETTO_DEVICE_MEMORY", "80k");
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([] {
    const full_memories before;
    object<float> more(all);
    {
      std::vector<object_accessor<const float, 1>>
          views;  // views copy the data to the host: it is valid on the device, too
      for (const auto& o : before.changed) views.push_back(o.read().get());
      const std::string why =
          test::thrown_by([&] { wait(launch(on(device_kind::device), eviction_fill, all, more, 7.0f)); });
      CHECK(why.find("A04") != std::string::npos);
      CHECK(why.find("no memory below it has enough free space") != std::string::npos);
    }
    wait(launch(on(device_kind::device), eviction_fill, all, more, 8.0f));
    CHECK(content(more) == std::vector<float>(n, 8));
    before.check();
  });
}

TEST_CASE("each launch in a memory deadlock is refused, and the launches after them run") {
  // Too large in any case, and too large next to what stays.
  for (const auto& [memory, is_one_object] : {std::pair("8k", true), {"8k", false}, {"20k", true}, {"20k", false}}) {
    const with_variable host("STRETTO_HOST_MEMORY", memory);
    CAPTURE(memory);
    CAPTURE(is_one_object);
    runtime rt({.workers = 2, .devices = "sim"});
    rt.run([&, one = is_one_object] {
      const box kept_there = memory[0] == '2' ? all : box(0, 4);
      const object<float> kept(kept_there, std::vector<float>(n, 1).data());
      object<float> a(all), b(all), small(box(0, 16));
      for (const auto& o : {a, b, small}) launch(on(device_kind::device), eviction_fill, o.elements(), o, 3.0f);
      const auto first = a.read();
      const auto second = one ? a.read() : b.read(), third = a.read(box(0, 4)), other = small.read();
      CHECK(test::thrown_by([&] { first.get(); }).find("error A04") != std::string::npos);
      CHECK(test::thrown_by([&] { second.get(); }).find("error A04") != std::string::npos);
      CHECK(third.get().view()(3) == 3);
      CHECK(other.get().view()(15) == 3);
    });
  }
}

TEST_CASE("a launch waits for memory that an event of the program will free") {
  const with_variable host("STRETTO_HOST_MEMORY", "20k");
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([] {
    const user_event go = user_event::create();
    object<float> a(all);
    launch(on(device_kind::device), eviction_fill, all, a, 4.0f);
    {
      object<float> last(all, std::vector<float>(n, 1).data());  // on the host until the launch has ended
      launch(after(go), on(device_kind::host), eviction_plus, all, last, 1.0f);
    }
    const auto seen = a.read();
    go.trigger();
    CHECK(seen.get().view()(n - 1) == 4);
  });
}

TEST_CASE("a launch does not wait on the host for views that the program holds, where a device may compute it") {
  const test::temporary_folder disk;
  const with_variable spill("STRETTO_SPILL", disk.path.c_str()), host("STRETTO_HOST_MEMORY", "64k"),
      first("STRETTO_SCHEDULER", "fifo"), quiet("STRETTO_LOG", "off");
  runtime rt({.workers = 1, .devices = "sim"});
  rt.run([] {
    const auto seen = on_host(4);
    object<float> more(all);
    {
      std::vector<object_accessor<const float, 1>> views;
      for (const auto& o : seen) views.push_back(o.read().get());
      wait(launch(eviction_fill, all, more, 7.0f));
    }
    wait(launch(on(device_kind::host), eviction_plus, all, more, 1.0f));
    CHECK(content(more) == std::vector<float>(n, 8));
  });
}

TEST_CASE("a launch that only the host may compute waits for views until the program gives them back") {
  const test::temporary_folder disk;
  const with_variable spill("STRETTO_SPILL", disk.path.c_str()), host("STRETTO_HOST_MEMORY", "64k");
  runtime rt({.workers = 1, .devices = "sim"});
  rt.run([] {
    const auto seen = on_host(4);
    object<float> more(all);
    event filled;
    {
      std::vector<object_accessor<const float, 1>> views;
      for (const auto& o : seen) views.push_back(o.read().get());
      filled = launch(on(device_kind::host), eviction_fill, all, more, 7.0f);
      yield();
      CHECK(!filled.has_triggered());
    }
    wait(filled);
    CHECK(content(more) == std::vector<float>(n, 7));
  });
}

TEST_CASE("if nothing can be evicted, a launch without memory is refused, whatever views the program holds") {
  const with_variable host("STRETTO_HOST_MEMORY", "64k");
  runtime rt({.workers = 1});
  rt.run([] {
    const auto seen = on_host(4);
    const object<float> more(all);
    const auto view = seen[0].read().get();
    CHECK(test::thrown_by([&] { wait(launch(eviction_fill, all, more, 7.0f)); }).find("error A04") !=
          std::string::npos);
  });
}

TEST_CASE("initial data of an object replaces redundant replicas of the host") {
  const with_variable host("STRETTO_HOST_MEMORY", "64k");
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([] {
    const auto changed = changed_by_device(4);
    const auto more = on_host(2);
    CHECK(content(more[1]) == std::vector<float>(n, 1));
    check_changed(changed);
  });
}

TEST_CASE("remove_from_devices replaces redundant replicas of the host") {
  const with_variable host("STRETTO_HOST_MEMORY", "64k");
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([] {
    const auto changed = changed_by_device(4);
    object<float> more(all);
    wait(launch(on(device_kind::device), eviction_fill, all, more, 7.0f));
    more.remove_from_devices();
    CHECK(content(more) == std::vector<float>(n, 7));
    check_changed(changed);
  });
}

TEST_CASE("redundant replicas of the host are freed before anything is spilled") {
  const test::temporary_folder disk;
  const with_variable spill("STRETTO_SPILL", disk.path.c_str()), host("STRETTO_HOST_MEMORY", "64k"),
      device("STRETTO_DEVICE_MEMORY", "80k");
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([&] {
    const full_memories before;
    object<float> more(all);
    wait(launch(on(device_kind::device), eviction_fill, all, more, 7.0f));
    for (const device_statistics& d : rt.statistics().devices)
      if (d.name == "spill") CHECK(d.brought_bytes == 0);
    before.check();
  });
}

// 18 objects; a launch on the device uses three, so that 15 are elsewhere, and the two memories hold 16 and 8.
TEST_CASE("objects that fit into the memories of host and device together are never refused") {
  const with_variable host("STRETTO_HOST_MEMORY", "256k"), device("STRETTO_DEVICE_MEMORY", "128k");
  for (const char* devices : {"sim", "sim(engines=1)"})
    for (unsigned seed = 0; seed < test::scaled(12u, 2'000u); ++seed) {
      INFO(devices << ", seed " << seed);
      runtime rt({.workers = 1 + seed % 3, .devices = devices});
      rt.run([&] {
        std::mt19937 draw(seed);
        std::vector<float> expected(18);
        std::iota(expected.begin(), expected.end(), 0.0f);
        const auto objects = on_host(16);
        auto whole = objects;
        whole.emplace_back(all), whole.emplace_back(all);
        finish([&] {
          for (std::size_t i = 16; i < 18; ++i)
            launch(on(device_kind::device), eviction_fill, all, whole[i], expected[i]);
          for (int s = 0; s < 100; ++s) {
            const std::size_t a = draw() % 18, b = draw() % 18, c = draw() % 18;
            if (a != c && b != c && a != b) {
              launch(on(device_kind::device), eviction_mean, all, whole[a], whole[b], whole[c]);
              expected[c] = 0.5f * (expected[a] + expected[b]);
            } else if (draw() % 2) {
              launch(on(device_kind::device), eviction_plus, all, whole[c], 1.0f);
              expected[c] += 1;
            } else {
              launch(on(device_kind::device), eviction_look, all, whole[c]);
            }
          }
        });
        for (std::size_t i = 0; i < 18; ++i) CHECK(content(whole[i]) == std::vector<float>(n, expected[i]));
      });
    }
}

}  // namespace
}  // namespace stretto
