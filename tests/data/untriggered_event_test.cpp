// Operations that wait for an event that is never triggered end with their runtime and are reported. AddressSanitizer
// checks that their memory is freed.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "device/kernels_for_tests.hpp"
#include "written_by.hpp"

namespace stretto {
namespace {

using test::written_by;

struct ram_and_device {
  place ram, device;
};
ram_and_device ram_and_device_of(const runtime& rt) {
  return {rt.machine().memories()[0], rt.machine().at("sim_0_memory")};
}

/// The messages of a runtime with a simulated device at its end, after `body`.
template <class Body>
std::string left_by(Body&& body, bool stepped = false, std::uint64_t seed = 0, unsigned workers = 2) {
  return written_by([&] {
    runtime rt({.workers = workers, .seed = seed, .devices = "sim", .stepped = stepped});
    const attached_thread here(rt);
    body(ram_and_device_of(rt));
  });
}

using large = std::array<double, 9>;  // too large for a fill without a heap allocation

TEST_CASE("operations behind an event that nobody triggers end with the runtime, on the host and on a device") {
  for (const bool on_device : {false, true}) {
    const std::string error_text = left_by([&](const ram_and_device& s) {
      const place where = on_device ? s.device : s.ram;
      auto x = instance<large>::create(at(where), {0, 5000}).made,
           y = instance<large>::create(at(where), {0, 5000}).made;
      const user_event never = user_event::create();
      const box parts[] = {box(0, 10), box(20, 30)};
      const event filled = fill(x, large{1, 2}, after(never));
      copy(x, y, parts, after(filled));
      x.destroy(after(filled));
    });
    INFO(error_text);
    CHECK(error_text.find("error S13: a runtime ended with a failure") == 0);
    CHECK(error_text.find("error E14: the runtime ended before the program triggered an event that work waited for") !=
          std::string::npos);
  }
}

TEST_CASE("a chain of kernels behind an event that nobody triggers ends with the runtime") {
  const std::string error_text = left_by([](const ram_and_device& s) {
    auto x = instance<int>::create(at(s.device), {0, 64}, {.name = "x"}).made;
    event last = user_event::create();
    for (int i = 0; i < 50; ++i) last = launch(after(last), add_one, box(0, 64), x);
  });
  INFO(error_text);
  CHECK(error_text.find("error S13: a runtime ended with a failure") == 0);  // other failures follow from one
  CHECK(error_text.find("add_one") != std::string::npos);
}

TEST_CASE("the last wait of a task is poisoned by the operation that must end it, never in its place") {
  // The operation's event comes before the event it waits for in the search for untriggered events.
  for (const bool stepped : {false, true})
    for (const bool on_device : {false, true})
      for (unsigned workers = 1; workers <= 4; ++workers) {
        std::string seen;
        left_by(
            [&](const ram_and_device& s) {
              const place where = on_device ? s.device : s.ram;
              auto x = instance<int>::create(at(where), {0, 50'000}).made,
                   y = instance<int>::create(at(where), {0, 50'000}).made;
              const user_event first = user_event::create(), never = user_event::create();
              first.trigger();
              const event done = copy(x, y, after(never));
              async([&seen, done] {
                try {
                  wait(done);
                } catch (const error& e) {
                  seen = e.what();
                }
              });
            },
            stepped, workers, workers);
        INFO(seen);
        CHECK(seen.find("error E10: copy of instance") == 0);
        CHECK(seen.find("error E14") != std::string::npos);
      }
}

}  // namespace
}  // namespace stretto
