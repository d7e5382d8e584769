// Devices that are lost while launches are in flight: each element is right or its reader gets the error, and nothing
// hangs.
#include <stretto/error.hpp>
#include <stretto/event.hpp>
#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <exception>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "objects/on_devices.hpp"
#include "objects/random_program.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::thrown_by;

constexpr const char* policies_of_losses[] = {"fifo", "locality", "earliest_finish", "work_stealing"};

STRETTO_KERNEL(one_longer, (in<unsigned> from, out<unsigned> to), { to(global_id(0)) = from(global_id(0)) + 1; })
STRETTO_KERNEL(one_more_of_each, (inout<unsigned> all), { all(global_id(0)) += 1; })
STRETTO_KERNEL(all_sevens, (out<unsigned> all), { all(global_id(0)) = 7; })

bool is_reported(const std::string& what) { return what.find("K31") != std::string::npos; }

/// The end of what is lost somewhere within.
template <class Body>
void with_losses(Body&& body) {
  const std::string what = thrown_by([&] { finish(body); });
  if (!what.starts_with("nothing was thrown")) CHECK_MESSAGE(is_reported(what), what);
}

TEST_CASE("a chain over two devices ends with the loss of one, and what is there of it on the other stays") {
  for (const char* policy : policies_of_losses)
    for (unsigned lost_at = 1; lost_at <= 12; lost_at += test::stride()) {
      INFO(std::string(policy) << ", lost at launch " << lost_at);
      const test::with_variable scheduler("STRETTO_SCHEDULER", policy), quiet("STRETTO_LOG", "off");
      runtime rt({.workers = 2, .devices = "sim:2(device=1,lose=" + std::to_string(lost_at) + ")"});
      rt.run([&] {
        const std::vector<place> gpus = rt.machine().places(place_kind::gpu);
        constexpr int length = 20;
        const box all(0, 1000);
        const std::vector<unsigned> zeros(1000);
        std::vector<object<unsigned>> link;
        link.emplace_back(all, zeros.data());
        std::vector<event> ends;
        with_losses([&] {
          for (int n = 0; n < length; ++n) {
            link.emplace_back(all);
            ends.push_back(launch(on(gpus[static_cast<std::size_t>(n % 2)]), one_longer, all,
                                  link[static_cast<std::size_t>(n)], link.back()));
          }
        });
        int first_lost = length;
        for (int n = length - 1; n >= 0; --n)
          if (ends[static_cast<std::size_t>(n)].is_poisoned()) first_lost = n;
        CHECK(first_lost <= static_cast<int>(2 * lost_at));
        for (int n = 0; n <= length; ++n) {
          const std::string what = thrown_by(
              [&] { CHECK(link[static_cast<std::size_t>(n)].read().get().view()(999) == static_cast<unsigned>(n)); });
          if (!what.starts_with("nothing was thrown")) CHECK_MESSAGE(is_reported(what), what);
          if (n > first_lost) CHECK(is_reported(what));  // launches that follow a lost one fail too
        }
        launch(one_longer, all, object<unsigned>(all, zeros.data()), link.back());
        CHECK(link.back().read().get().view()(0) == 1);
      });
    }
}

TEST_CASE("a device that needs what another one has lost is not lost with it") {
  const test::with_variable quiet("STRETTO_LOG", "off");
  for (const char* wires : {"", ",shared_bus"}) {
    INFO("devices" << wires);
    runtime rt({.workers = 2, .devices = "sim:2(device=1,lose=2" + std::string(wires) + ")"});
    rt.run([&] {
      const std::vector<place> gpus = rt.machine().places(place_kind::gpu);
      const box all(0, 1000);
      const std::vector<unsigned> zeros(1000);
      object<unsigned> there(all, zeros.data()), other(all, zeros.data()), here(all, zeros.data()), made(all);
      launch(on(gpus[0]), one_more_of_each, all, here);
      with_losses([&] {
        launch(on(gpus[1]), one_more_of_each, all, there);
        launch(on(gpus[1]), one_more_of_each, all, other);  // the device is lost by this launch
        CHECK(is_reported(thrown_by([&] { launch(on(gpus[0]), one_longer, all, there, made), made.read().get(); })));
      });
      CHECK(here.read().get().view()(999) == 1);  // only the first device has the elements
      const event done = launch(on(gpus[0]), one_more_of_each, all, here);
      CHECK(thrown_by([&] { wait(done); }).starts_with("nothing was thrown"));
      CHECK(here.read().get().view()(999) == 2);
    });
  }
}

TEST_CASE("a launch that overwrites the elements of a failed writer runs, wherever the writer was to run") {
  const test::with_variable quiet("STRETTO_LOG", "off");
  for (const char* fault : {"fail_launch=1", "lose=1"})
    for (const bool on_device : {false, true}) {
      INFO(fault << (on_device ? ", overwritten by a launch" : ", overwritten by the host"));
      const bool is_lost = std::string(fault) == "lose=1";
      runtime rt({.workers = 2, .devices = "sim:2(copy_us=20000,launch_us=20000,device=1," + std::string(fault) + ")"});
      rt.run([&] {
        const std::vector<place> gpus = rt.machine().places(place_kind::gpu);
        const box all(0, 1000), part(100, 200);
        const std::vector<unsigned> zeros(1000);
        object<unsigned> u(all, zeros.data());
        const auto fails = [](const auto& body) { return !thrown_by(body).starts_with("nothing was thrown"); };
        const auto program = [&] {
          launch(on(gpus[1]), one_more_of_each, all, u);  // under way for a while, with the copy that it waits for
          if (on_device) return void(launch(on(gpus[is_lost ? 0 : 1]), all_sevens, part, u(part)));
          const auto mine = u.overwrite(part).get();
          for (int i = 100; i < 200; ++i) mine.view()(i) = 7;
        };
        CHECK(fails([&] { finish(program); }));
        CHECK(u.read(part).get().view()(150) == 7);
        CHECK(fails([&] { u.read(box(0, 100)).get(); }));  // the rest is lost
        CHECK(fails([&] { u.read().get(); }));
      });
    }
}

TEST_CASE("a copy does not fail with the readers of the elements that it overwrites") {
  const test::with_variable quiet("STRETTO_LOG", "off");
  runtime rt({.workers = 2, .devices = "sim:2"});
  rt.run([&] {
    const std::vector<place> gpus = rt.machine().places(place_kind::gpu);
    const box all(0, 1000);
    const std::vector<unsigned> zeros(1000);
    object<unsigned> u(all, zeros.data()), made(all), copied(all);
    wait(launch(on(gpus[0]), one_longer, all, u, made));  // its elements are on the first device
    const user_event never = user_event::create();
    const event reader = launch(on(gpus[0]), after(never), one_longer, all, u, made);
    launch(on(gpus[1]), all_sevens, all, u);
    // overwrites what the reader has not read yet
    const event brought = launch(on(gpus[0]), one_longer, all, u, copied);
    never.poison(std::make_exception_ptr(std::runtime_error("no input")));
    CHECK(thrown_by([&] { wait(reader); }).find("no input") != std::string::npos);
    CHECK(thrown_by([&] { wait(brought); }).starts_with("nothing was thrown"));
    CHECK(copied.read().get().view()(999) == 8);
  });
}

TEST_CASE(
    "random programs lose devices with launches in flight, and each element is right or its reader gets the error") {
  const test::with_variable quiet("STRETTO_LOG", "off");
  int read = 0, lost = 0;
  for (unsigned seed = 0; seed < test::scaled(60u, 4000u); ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
    std::string devices = "sim:2(device=" + std::to_string(below(2)) + ",lose=" + std::to_string(1 + below(25)) + ")";
    if (below(2)) devices.insert(devices.size() - 1, ",shared_bus");  // devices copy directly from one another
    if (below(2)) devices += ",sim(lose=" + std::to_string(1 + below(25)) + ")";
    const test::with_variable scheduler("STRETTO_SCHEDULER", policies_of_losses[seed % 4]);
    const test::with_variable memory("STRETTO_DEVICE_MEMORY", below(2) ? "8192" : "4096");
    INFO(devices << ", seed " << seed);
    runtime rt({.workers = 1 + seed % 3, .devices = devices});
    rt.run([&] {
      with_losses([&] {
        test::random_program program(
            seed, seed % 2,
            test::random_program::losses{below(2) ? rt.machine().places(place_kind::gpu) : std::vector<place>()});
        program.run(60);
        read += program.reads(), lost += program.lost();
      });
    });
  }
  CHECK(read > 0);  // or the test tested nothing
  CHECK(lost > 0);
}

}  // namespace
}  // namespace stretto
