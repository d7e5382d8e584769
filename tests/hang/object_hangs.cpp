// Reservations, barriers, objects and buffers.
#include <stretto/buffer.hpp>
#include <stretto/copy.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "hang_programs.hpp"

namespace hang {
namespace {

void never_released(runtime& rt) {
  rt.run([] {
    const auto r = reservation::create();
    wait(r.acquire());  // GUILTY never_released
    async(name("next"), [r] { wait(r.acquire()); });
  });
}

void acquired_twice(runtime& rt) {
  rt.run([] {
    const auto r = reservation::create();
    const event held = r.acquire();  // GUILTY acquired_twice
    const auto inner = async(after(held), name("inner"), [r] {
      wait(r.acquire());
      r.release();
    });
    r.release(after(inner));
  });
}

void lock_order(runtime& rt) {
  rt.run([] {
    const auto a = reservation::create(), b = reservation::create();
    const auto both_held = barrier::create(2);
    async(name("a then b"), [=] {
      wait(a.acquire());  // GUILTY lock_order
      both_held.arrive();
      wait(both_held);
      wait(b.acquire());
      b.release();
      a.release();
    });
    async(name("b then a"), [=] {
      wait(b.acquire());
      both_held.arrive();
      wait(both_held);
      wait(a.acquire());
      a.release();
      b.release();
    });
  });
}

void short_barrier(runtime& rt) {
  rt.run([] {
    const auto three = barrier::create(3);  // GUILTY short_barrier
    for (int i = 0; i < 2; ++i)
      async([three] {
        three.arrive();  // NAMED short_barrier
        wait(three);
      });
  });
}

void late_arrival(runtime& rt) {
  rt.run([] {
    const auto never = user_event::create();  // GUILTY late_arrival
    const auto two = barrier::create(2);
    two.arrive();
    two.arrive(never);
    async(name("waiter"), [two] { wait(two); });
  });
}

void at_the_end(runtime& rt) {
  const attached_thread here(rt);
  const auto r = reservation::create();
  r.acquire();  // GUILTY at_the_end
  async(after(r.acquire()), name("left over"), [] {});
}

// clang-format off
STRETTO_KERNEL(all_zero, (out<int> x), { x(global_id(0)) = 0; })
// clang-format on

void view_kept(runtime& rt) {
  rt.run([] {
    const int one = 1;
    const object<int> x(box(0, 1), &one, {.name = "x"});
    const auto seen = x.read().get();                        // GUILTY view_kept
    wait(launch(name("again"), all_zero, x.elements(), x));  // NAMED view_kept
  });
}

void view_in_the_way(runtime&) {
  setenv("STRETTO_HOST_MEMORY", "64k", 1);
  setenv("STRETTO_SPILL", std::filesystem::temp_directory_path().c_str(), 1);
  runtime rt({.workers = 2});
  rt.run([] {
    const std::vector<int> begin(12'000);  // 48 KB
    const object<int> x(box(0, 12'000), begin.data(), {.name = "x"}), y(x.elements(), {.name = "y"});
    const auto seen = x.read().get();                          // GUILTY view_in_the_way
    wait(launch(name("crowded"), all_zero, y.elements(), y));  // NAMED view_in_the_way
  });
}

void seen_and_written(runtime& rt) {
  rt.run([] {
    const int one = 1;
    const buffer<int> x(box(0, 1), &one, {.name = "x"});
    const auto seen = x.read().get();                                    // GUILTY seen_and_written
    wait(launch(name("again"), all_zero, x.elements(), x(one_to_one)));  // NAMED seen_and_written
  });
}

// Nothing says that it waits: there are too many launches ahead.
void seen_far_ahead(runtime& rt) {
  rt.run([] {
    const int one = 1;
    const buffer<int> x(box(0, 1), &one, {.name = "x"});
    const auto seen = x.read().get();                                              // GUILTY seen_far_ahead
    for (int s = 0; s < 1000; ++s) launch(all_zero, x.elements(), x(one_to_one));  // NAMED seen_far_ahead
  });
}

void copied_behind(runtime& rt) {
  rt.run([&rt] {
    const auto never = user_event::create();  // GUILTY copied_behind
    const auto memory = at(rt.machine().memories().front());
    const auto u = instance<int>::create(memory, box(0, 9), {.name = "u"}).made;
    const auto v = instance<int>::create(memory, box(0, 9), {.name = "v"}).made;
    const event copied = copy(u, v, after(event(never)));  // NAMED copied_behind
    async(after(copied), name("reader"), [] {});
  });
}

}  // namespace

const program object_hangs[] = {{"view_kept", view_kept},
                                {"copied_behind", copied_behind},
                                {"view_in_the_way", view_in_the_way},
                                {"seen_and_written", seen_and_written},
                                {"seen_far_ahead", seen_far_ahead},
                                {"never_released", never_released},
                                {"acquired_twice", acquired_twice},
                                {"lock_order", lock_order},
                                {"short_barrier", short_barrier},
                                {"late_arrival", late_arrival},
                                {"at_the_end", at_the_end},
                                {}};

}  // namespace hang
