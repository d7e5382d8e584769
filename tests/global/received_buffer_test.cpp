// Buffers sent to memories of other nodes, without objects: from spans and from instances on devices, to the host and
// to devices.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/launch.hpp>
#include <stretto/native_kernel.hpp>
#include <stretto/platform.hpp>
#include <stretto/received_buffer.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "../dist/simulated.hpp"
#include "function_reference.hpp"
#include "payloads.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using test::content_of;
using test::counted_from;
using test::error_of;
using test::thrown_by;

STRETTO_KERNEL(buffer_fill, (out<int> x, int first), { x(global_id(0)) = first + global_id(0); })
STRETTO_KERNEL(buffer_double, (inout<int> x), { x(global_id(0)) *= 2; })

/// The memory of a device, if there is one; else the node's main memory.
at_place device_memory(const runtime& rt, std::size_t which = 0) {
  const auto all = rt.machine().places(place_kind::gpu_memory);
  return which < all.size() ? at(all[which]) : at_place{};
}

void on_first_with_devices(std::uint32_t nodes, test::function_reference<void(runtime&)> program) {
  for (const char* const devices : {"none", "sim:2", "sim:2(in_place)", "sim:2(exports)"}) {
    CAPTURE(devices);
    test::on_nodes_of(simulated_job({.nodes = nodes, .seed = 13}), {.workers = 2, .devices = devices},
                      [&](runtime& rt) {
                        if (this_node() == 0) program(rt);
                      });
  }
}

constexpr coordinate buffer_sizes[] = {1, 100, 5000, 300'000};

TEST_CASE("a handler has the elements that were sent, in the memory that the sender named") {
  on_first_with_devices(2, [](const runtime& rt) {
    for (const coordinate n : buffer_sizes)
      for (std::uint32_t node = 0; node < 2; ++node)
        for (const at_place to : {at_place{}, device_memory(rt), device_memory(rt, 1)}) {
          const auto numbers = counted_from(3, n);
          CHECK(send_buffer(at_node(node), std::span(numbers), to, call<&test::content_here>()).get() == numbers);
          const auto is_there =
              call([](const received_buffer<int>& b,
                      std::uint32_t wanted) { return b.elements().memory().index == wanted && b.size() > 0; },
                   to.where ? to.where.index : std::uint32_t{0});
          const auto seen = send_buffer(name("sent"), at_node(node), std::span(numbers), to, is_there);
          CHECK((seen.get() || !to.where));
          // From an instance of a device, whatever its coordinates, behind what fills it.
          const auto from = device_memory(rt).where ? device_memory(rt) : at(rt.machine().memories().front());
          const auto mine = instance<int>::create(from, box(-5, n - 5)).made;
          const event filled = launch(buffer_fill, mine.elements(), mine, 10);
          CHECK(send_buffer(after(filled), at_node(node), mine, to, call<&test::content_here>()).get() ==
                counted_from(5, n));
          mine.destroy();
        }
  });
}

TEST_CASE("kernels of a handler compute on the buffer, which lasts until they and what it returns have ended") {
  on_first_with_devices(2, [](const runtime& rt) {
    for (const coordinate n : buffer_sizes)
      for (std::uint32_t node = 0; node < 2; ++node) {
        const auto numbers = counted_from(0, n);
        std::vector<int> doubled(numbers);
        for (int& x : doubled) x *= 4;
        const auto seen =
            send_buffer(at_node(node), std::span(numbers), device_memory(rt), call([](const received_buffer<int>& b) {
                          const event once = launch(buffer_double, b.elements().elements(), b.elements());
                          const event twice = launch(after(once), buffer_double, b.elements().elements(), b.elements());
                          wait(twice);
                          return content_here(b);
                        }));
        CHECK(seen.get() == doubled);
        // Kept alive by its result, by keep_until, and by the tasks that it leaves running.
        const auto gate = user_event::create();
        const auto done = send_buffer(
            at_node(node), std::span(numbers), device_memory(rt),
            call(
                [](const received_buffer<int>& b, event e) {
                  const event twice = launch(after(e), buffer_double, b.elements().elements(), b.elements());
                  b.keep_until(twice);
                  async(after(e), [b] {
                    if (b.size() < 1) throw error("X00", "it is gone");
                  });
                  return launch(after(twice), buffer_fill, b.elements().elements(), b.elements(), 0);
                },
                event(gate)));
        (void)done.get();
        gate.trigger();
        wait(done.get());
      }
  });
}

TEST_CASE("native code is handed the buffer as its driver knows it, and a handler the address where there is one") {
  on_first_with_devices(2, [](const runtime& rt) {
    const auto numbers = counted_from(7, 3000);
    for (std::uint32_t node = 0; node < 2; ++node)
      for (const at_place to : {at_place{}, device_memory(rt)}) {
        const auto seen =
            send_buffer(at_node(node), std::span(numbers), to, call([](const received_buffer<int>& b) {
                          static const native_kernel<void(kernels::inout<int>, std::uint64_t)> add_address({
                              .name = "add_address",
                              .host_calls =
                                  [](const native_call&, native_array<int> x, std::uint64_t address) {
                                    for (std::int64_t i = 0; i < x.length(0); ++i)
                                      x.data[i] += reinterpret_cast<std::uint64_t>(x.data) == address ? 1 : 100;
                                  },
                          });
                          wait(launch(add_address, b.elements().elements(), b.elements(),
                                      reinterpret_cast<std::uint64_t>(b.address())));
                          return content_here(b);
                        }));
        CHECK(seen.get() == counted_from(to.where ? 107 : 8, 3000));
      }
  });
}

TEST_CASE("messages wait for the room that those before them take") {
  test::on_nodes_of(
      simulated_job({.nodes = 2, .seed = 2}), {.workers = 2, .devices = "sim(memory=1M)"}, [](runtime& rt) {
        if (this_node() != 0) return;
        const auto numbers = counted_from(0, 150'000);  // 600 KB: one at a time
        std::vector<future<int>> all;
        for (int i = 0; i < 12; ++i)
          all.push_back(send_buffer(
              at_node(1), std::span(numbers), device_memory(rt),
              call([](const received_buffer<int>& b, int i) { return content_here(b)[std::size_t(i)]; }, i)));
        for (int i = 0; i < 12; ++i) CHECK(all[std::size_t(i)].get() == i);
        // A buffer that exceeds the memory is refused; others are not affected.
        const auto too_many = counted_from(0, 400'000);
        const auto refused =
            send_buffer(at_node(1), std::span(too_many), device_memory(rt), call<&test::content_here>());
        CHECK(thrown_by([&] { refused.get(); }).find("error D03") != std::string::npos);
        CHECK(send_buffer(at_node(1), std::span(numbers), device_memory(rt), call<&test::content_here>()).get() ==
              numbers);
      });
}

TEST_CASE("errors of a buffer are reported to its sender") {
  on_first_with_devices(2, [](const runtime& rt) {
    const auto numbers = counted_from(0, 5000);
    CHECK(error_of([&] { send_buffer(at_node(7), std::span(numbers), call<&test::content_here>()); }).code() == "N02");
    for (std::uint32_t node = 0; node < 2; ++node) {
      const auto nowhere = send_buffer(at_node(node), std::span(numbers), at(place{4000}), call<&test::content_here>());
      CHECK(thrown_by([&] { nowhere.get(); }).find("error D04") != std::string::npos);
      const auto throws = send_buffer(at_node(node), std::span(numbers),
                                      call([](const received_buffer<int>&) -> int { throw error("X01", "no way"); }));
      CHECK(thrown_by([&] { throws.get(); }).find("no way") != std::string::npos);
      const auto e = user_event::create();
      const auto mine = instance<int>::create(at_node(0), box(0, 5000)).made;
      const auto sent = send_buffer(after(e), at_node(node), mine, call<&test::content_here>());
      e.poison(std::make_exception_ptr(std::runtime_error("no ink")));
      CHECK(thrown_by([&] { sent.get(); }).find("no ink") != std::string::npos);
      mine.destroy();
    }
    static std::optional<received_buffer<int>> kept;
    send_buffer(at_node(0), std::span(numbers), call([](const received_buffer<int>& b) { kept = b; })).get();
    const auto code = [] { return error_of([] { kept->elements(); }).code(); };
    while (code() != "G09") yield();
    CHECK(error_of([] { kept->keep_until(event()); }).code() == "G09");
  });
}

TEST_CASE("a node that is lost fails the buffers that were sent there") {
  const simulated_job job({.nodes = 2, .seed = 3});
  std::atomic<bool> may_end{false};
  // The run of node 1 fails if the data of a message was in transit when the link was cut: no one else can report it.
  const std::string of_runs = thrown_by([&] {
    test::on_nodes_of(job, {.workers = 2, .devices = "sim"}, [&](runtime& rt) {
      if (this_node() == 1) {
        while (!may_end) yield();
        return;
      }
      const auto numbers = counted_from(0, 400'000);
      std::vector<future<std::vector<int>>> all;
      for (int i = 0; i < 5; ++i)
        all.push_back(send_buffer(at_node(1), std::span(numbers), device_memory(rt), call<&test::content_here>()));
      job.cut(0, 1);
      may_end = true;
      for (auto& f : all) {
        const std::string words = thrown_by([&] {
          if (f.get() != numbers) throw error("X02", "other numbers");
        });
        CHECK((words == "nothing was thrown" || words.find("error N05: node N1 is lost") != std::string::npos));
      }
      const auto late = send_buffer(at_node(1), std::span(numbers), call<&test::content_here>());
      CHECK(thrown_by([&] { late.get(); }).find("error N05") != std::string::npos);
    });
  });
  CHECK_MESSAGE((of_runs == "nothing was thrown" || of_runs.find("error N05: node N0 is lost") != std::string::npos),
                of_runs);
}

}  // namespace
}  // namespace stretto
