#include "acc/device_accelerator.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>
#include <stdexcept>
#include <stretto/stretto.hpp>
#include <vector>

#include "acc/activity_queues.hpp"
#include "acc/data_environment.hpp"
#include "acc/gang_arguments.hpp"
#include "base/context.hpp"
#include "campaign.hpp"
#include "data/data_state.hpp"
#include "ranks/datatypes/data_part.hpp"
#include "ranks/messages/point_to_point.hpp"

using namespace stretto;
using acc::transfer;

namespace {

/// Runs a body with a simulated device, whose memory the host cannot access.
template <class Body>
void with_device(Body body) {
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([&] {
    const data::data_state& state = data::state_of(base::require_current("test"));
    device::attached_device& on = *state.settings.devices->all()[0];
    acc::device_accelerator device(on, *state.find(on.memory()), false);
    body(device);
  });
}

struct factors {
  int by, plus;
};

/// x = by * x + plus, in each gang for some elements.
void scale(void** arguments, long gang, long gangs) {
  int* const x = *static_cast<int**>(arguments[0]);
  const long count = *static_cast<long*>(arguments[1]);
  const factors f = *static_cast<factors*>(arguments[2]);
  for (long i = gang * count / gangs; i < (gang + 1) * count / gangs; ++i) x[i] = f.by * x[i] + f.plus;
}

constexpr stretto_acc_parameter parameters[] = {{stretto_acc_form_address, 0, 0},
                                                {stretto_acc_form_value, 1, sizeof(long)},
                                                {stretto_acc_form_bytes, 2, sizeof(factors)}};
constexpr stretto_acc_device_kernel scale_kernel = {.name = "scale",
                                                    .opencl = nullptr,
                                                    .opencl_reason = "",
                                                    .cuda = nullptr,
                                                    .cuda_reason = "",
                                                    .parameters = parameters,
                                                    .parameter_count = 3};

/// Puts a launch into a queue; its arguments end with the call.
void enqueue_scale(acc::device_accelerator& on, acc::data_environment& data, acc::activity_queues& queues, int* x,
                   long count, factors f) {
  const stretto_acc_argument given[] = {{stretto_acc_device_pointer, &x, sizeof x, nullptr, "x"},
                                        {stretto_acc_value, &count, sizeof count, nullptr, "count"},
                                        {stretto_acc_value, &f, sizeof f, nullptr, "f"}};
  stretto_acc_launch launch{};
  launch.arguments = given;
  launch.argument_count = 3;
  acc::data_work ahead;
  const auto arguments = std::make_shared<acc::gang_arguments>(launch, &data, 1, ahead);
  const acc::gang_launch gangs{scale, &scale_kernel, "x.c:1", *arguments, 4, 0};
  queues.start(1, {"region", "x.c:1"},
               [&](std::span<const event> behind) { return on.start(gangs, arguments, behind); });
}

std::byte* bytes(void* memory) { return static_cast<std::byte*>(memory); }

}  // namespace

TEST_CASE("copies and kernels of a queue run in order, and what they need lives until they have ended") {
  with_device([](acc::device_accelerator& on) {
    constexpr long count = 1000;
    const int kernels = test::scaled(20, 500);
    acc::data_environment data(on);
    acc::activity_queues queues;
    auto* const x = reinterpret_cast<int*>(data.allocate(count * sizeof(int)));
    std::vector<int> host(count), expected(count);
    std::iota(host.begin(), host.end(), 0);
    expected = host;
    const std::size_t before = on.allocated_bytes();

    queues.start(1, {"region", "x.c:1"}, [&](std::span<const event> behind) {
      return on.start({{transfer::kind::to_device, bytes(x), bytes(host.data()), count * sizeof(int)}}, behind);
    });
    for (int k = 0; k < kernels; ++k) {
      enqueue_scale(on, data, queues, x, count, {k % 3 - 1, k});
      for (int& one : expected) one = (k % 3 - 1) * one + k;
    }
    std::vector<int> got(count);
    queues.start(1, {"region", "x.c:1"}, [&](std::span<const event> behind) {
      return on.start({{transfer::kind::to_host, bytes(x), bytes(got.data()), count * sizeof(int)}}, behind);
    });
    queues.wait_for(1);
    CHECK(got == expected);
    CHECK(on.allocated_bytes() == before);
  });
}

TEST_CASE("transfers are made in their order, and memory is released ahead of their end") {
  with_device([](acc::device_accelerator& on) {
    std::byte *const x = on.allocate(16), *const y = on.allocate(16), *const z = on.allocate(24);
    const long values[2] = {3, 4};
    long got[2] = {}, got_within = 0;
    auto* const pointer = reinterpret_cast<std::byte*>(5);
    on.perform({{transfer::kind::to_device, x, bytes(const_cast<long*>(values)), 16},
                {transfer::kind::clear, y, nullptr, 16},
                {transfer::kind::write_pointer, x + 8, pointer},
                {transfer::kind::within_device, z + 16, x + 8, 8},
                {transfer::kind::release, y}});
    CHECK(on.allocated_bytes() == 40);
    on.perform({{transfer::kind::to_host, z + 16, bytes(&got_within), 8}, {transfer::kind::release, z}});
    CHECK(got_within == 5);
    CHECK(on.allocated_bytes() == 16);
    on.perform({{transfer::kind::to_host, x, bytes(got), 16}, {transfer::kind::release, x}});
    CHECK(got[0] == 3);
    CHECK(got[1] == 5);
    CHECK(on.allocated_bytes() == 0);
    wait(on.start({{transfer::kind::release, on.allocate(8)}}, {}));
    CHECK(on.allocated_bytes() == 0);
    on.perform({});
  });
}

TEST_CASE("what is behind a failed operation does not start, and fails with its cause") {
  with_device([](acc::device_accelerator& on) {
    std::byte* const x = on.allocate(8);
    long got = 7;
    const user_event failed = user_event::create();
    const event ahead[] = {failed};
    const event copied = on.start({{transfer::kind::to_host, x, bytes(&got), 8}, {transfer::kind::release, x}}, ahead);
    failed.poison(std::make_exception_ptr(std::runtime_error("overheated")));
    CHECK_THROWS_WITH(wait(copied), doctest::Contains("overheated"));
    CHECK(got == 7);
    CHECK(on.allocated_bytes() == 0);
  });
}

TEST_CASE("messages use memory of a device that the host cannot access") {
  with_device([](acc::device_accelerator& on) {
    std::byte *const x = on.allocate(4000), *const y = on.allocate(4000);
    std::vector<int> host(1000), got(1000);
    std::iota(host.begin(), host.end(), 5);
    CHECK(ranks::copy_part({x, 4000}, {host.data(), 4000}) == 4000);
    CHECK(ranks::copy_part({y, 4000}, {x, 4000}) == 4000);
    CHECK(ranks::copy_part({got.data(), 4000}, {y, 4000}) == 4000);
    CHECK(got == host);
  });
  CHECK(!ranks::has_device_memory());
}

TEST_CASE("many messages to and from the memory of a device are under way at the same time") {
  constexpr int count = 30, numbers = 20'000;
  constexpr std::int64_t size = numbers * sizeof(int);
  with_device([](acc::device_accelerator& on) {
    ranks::mailbox box;
    std::vector<std::vector<int>> sent(count), got(count, std::vector<int>(numbers));
    std::vector<std::byte*> on_device;
    std::vector<ranks::request_owner> requests;
    const auto of = [](int tag) { return ranks::envelope{ranks::context_number(0), 0, tag}; };
    for (int i = 0; i < count; ++i) {
      sent[static_cast<std::size_t>(i)].assign(numbers, 7 * i + 1);
      on_device.push_back(on.allocate(size));
    }
    const auto pass = [&](const auto& from, const auto& to) {
      for (int i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (i % 2) requests.push_back(ranks::start_receive({box, of(i), {to(at), size}}));
        requests.push_back(ranks::start_send({{&box}, of(i), {from(at), size}}));
        if (i % 2 == 0) requests.push_back(ranks::start_receive({box, of(i), {to(at), size}}));
      }
      for (const auto& one : requests) ranks::wait_for(*one);
      requests.clear();
    };
    pass([&](std::size_t i) { return bytes(sent[i].data()); }, [&](std::size_t i) { return on_device[i]; });
    pass([&](std::size_t i) { return on_device[i]; }, [&](std::size_t i) { return bytes(got[i].data()); });
    CHECK(got == sent);
  });
}
