// elements.cpp - elements between two nodes: copies of instances, puts into objects, objects as arguments, buffers.
#include <stretto/stretto.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

#include "peers/nodes/benchmarks.hpp"

using namespace stretto;

namespace {

using bytes = instance<char>;

}  // namespace

namespace {

/// --size bytes from an instance of one node to one of the other and back, again and again, each copy after the one
/// before: half of that is one way. All of it is asked for by node 0, a hundred copies ahead.
bench::outcome time_copies_in(at_place memory, const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const long turns = std::max(1L, o.size > 200'000 ? o.steps / 5 : o.size > 4096 ? 2 * o.steps : 10 * o.steps);
  const auto here = bytes::create(at_node(0), memory, {0, o.size}),
             there = bytes::create(at_node(1), memory, {0, o.size});
  wait(merge(fill(here.made, 'a', after(here.ready)), fill(there.made, 'b', after(there.ready))));
  event e;
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) {
    e = copy(here.made, there.made, after(e));
    e = copy(there.made, here.made, after(e));
    if (i % 50 == 49) wait(e);
  }
  wait(e);
  const double seconds = clock.seconds();
  wait(merge(here.made.destroy(after(e)), there.made.destroy(after(e))));
  return {.value = seconds * 1e6 / (2.0 * static_cast<double>(turns))};
}

}  // namespace

bench::outcome time_copies(const bench::options& o) { return time_copies_in({}, o); }

bench::outcome time_copies_of_devices(const bench::options& o) {
  return time_copies_in(at(this_machine().places(place_kind::gpu_memory).front()), o);
}

bench::outcome count_copied_by_devices(const bench::options& o) {
  return {.value = static_cast<double>(o.size) * 1e-3 / time_copies_of_devices(o).value};
}

namespace {

/// Transfers between two nodes, as the ping-pong of the paper: --size bytes there, and back from the receiver.
/// Half of a turn.
std::atomic<long> came{0};
STRETTO_KERNEL(touch, (out<char> x), { x(global_id(0)) = 1; })

long turns_of(const bench::options& o) {
  return o.size > 200'000 ? o.steps / 5 : o.size > 4096 ? 2 * o.steps : 10 * o.steps;
}
void wait_for(long turn) {
  while (came.load(std::memory_order_acquire) < turn) yield();
}
void has_come() { came.fetch_add(1, std::memory_order_release); }
/// `turn()` begins one, `end()` waits for what is not there yet when a handler has said that it came.
template <class Turn, class End>
bench::outcome one_way(const bench::options& o, Turn&& turn, End&& end) {
  const long turns = turns_of(o), before = came;
  const auto go = [&](long i) { turn(), wait_for(before + i), end(); };
  go(1);
  const bench::stopwatch clock;
  for (long i = 2; i <= 1 + turns; ++i) go(i);
  return {.value = clock.seconds() * 1e6 / (2.0 * static_cast<double>(turns))};
}
/// Where there is a device, there; else on the host.
object<char> made_of(coordinate bytes) {
  object<char> o(box(0, bytes));
  launch(on(has_device ? device_kind::device : device_kind::host), touch, o.elements(), o);
  wait(o.read(box(0, 1)));
  return o;
}

}  // namespace

/// By puts into objects.
bench::outcome time_puts(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const object<char> mine = made_of(o.size);
  const auto here = share(mine),
             there = async(at_node(1), call([](coordinate n) { return share(made_of(n)); }, o.size)).get();
  const auto result = one_way(
      o,
      [&] {
        put(mine, there,
            call([](object<char>& x, global_object<char> back) { detached([&] { put(x, back, call<&has_come>()); }); },
                 here));
      },
      [] {});
  unshare(there).get(), unshare(here).get();
  return result;
}

namespace {

/// By objects as arguments. The handlers start before the content is there, who began waits for it.
object<char> kept_object;
void object_came(object<char> x) {
  kept_object = std::move(x);
  has_come();
}

}  // namespace

bench::outcome time_objects(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  kept_object = made_of(o.size);
  return one_way(
      o,
      [&] {
        async(at_node(1),
              call([](object<char> x) { detached([&] { async(at_node(0), call<&object_came>(std::move(x))); }); },
                   std::move(kept_object)));
      },
      [] { wait(kept_object.read(box(0, 1))); });
}

namespace {

/// By buffers without objects.
bench::outcome time_buffers_in(place memory, const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const auto mine = bytes::create(at(memory), {0, o.size});
  wait(fill(mine.made, 'a', after(mine.ready)));
  const auto result = one_way(
      o,
      [&] {
        send_buffer(at_node(1), mine.made, at(memory),
                    call(
                        [](const received_buffer<char>& b, std::uint32_t back) {
                          send_buffer(at_node(0), b.elements(), at(place{back}),
                                      call([](const received_buffer<char>&) { has_come(); }));
                        },
                        memory.index));
      },
      [] {});
  wait(mine.made.destroy());
  return result;
}

}  // namespace

bench::outcome time_buffers(const bench::options& o) {
  const auto devices = this_machine().places(place_kind::gpu_memory);
  return time_buffers_in(has_device && !devices.empty() ? devices.front() : this_machine().memories().front(), o);
}

/// In memory of the host that kernels of the device use in place, from and to which messages go without a detour.
bench::outcome time_shared(const bench::options& o) {
  const auto all = this_machine().places(place_kind::pinned_memory);
  if (all.empty()) throw bench::unsupported("the device shares no memory with the host");
  return time_buffers_in(all.front(), o);
}
