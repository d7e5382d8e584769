#include "acc/gang_arguments.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <set>
#include <vector>

#include "data_clause.hpp"
#include "recording_accelerator.hpp"

using namespace stretto;

namespace {

/// A launch with some arguments, whose kernel does nothing.
struct launch_with {
  launch_with(std::initializer_list<stretto_acc_argument> arguments) : all(arguments) {
    launch.where = "x.c:3";
    launch.arguments = all.data();
    launch.argument_count = static_cast<long>(all.size());
  }

  std::vector<stretto_acc_argument> all;
  stretto_acc_launch launch = {};
};

template <class Value>
Value value_at(void* argument) {
  Value value;
  std::memcpy(&value, argument, sizeof value);
  return value;
}

struct device_with_array {
  device_with_array() {
    const test::data_clause clause(stretto_acc_create, a, sizeof a);
    acc::data_work work;
    data.enter(clause.data, acc::data_environment::scope::dynamic, {}, "x.c:1", work);
  }
  int* on_device(int* host) { return reinterpret_cast<int*>(data.device_of(reinterpret_cast<const std::byte*>(host))); }

  int a[8] = {};
  test::recording_accelerator device;
  acc::data_environment data{device};
};

}  // namespace

TEST_CASE("values of a kernel in a queue are copied when the launch is made, each as any type may be aligned") {
  char c = 'x';
  double d = 2.5;
  struct three_bytes {
    char text[3];
  } t{{'a', 'b', 'c'}};
  const launch_with l{{stretto_acc_value, &c, sizeof c, nullptr, "c"},
                      {stretto_acc_value, &d, sizeof d, nullptr, "d"},
                      {stretto_acc_value, &t, sizeof t, nullptr, "t"}};
  acc::data_work into;
  acc::gang_arguments arguments(l.launch, nullptr, 1, into);
  c = 'y', d = 0, t.text[2] = 'z';
  CHECK(value_at<char>(arguments.pointers()[0]) == 'x');
  CHECK(value_at<double>(arguments.pointers()[1]) == 2.5);
  CHECK(value_at<three_bytes>(arguments.pointers()[2]).text[2] == 'c');
  for (int i = 0; i < 3; ++i)
    CHECK(reinterpret_cast<std::uintptr_t>(arguments.pointers()[i]) % alignof(std::max_align_t) == 0);
}

TEST_CASE("a kernel on the host gets addresses of the host") {
  int a[4] = {}, *pointer = a + 1;
  const launch_with l{{stretto_acc_address, a, sizeof a, nullptr, "a"},
                      {stretto_acc_pointer, &pointer, sizeof pointer, nullptr, "pointer"}};
  for (const acc::queue_number queue : {acc::queue_number(), acc::queue_number(1)}) {
    acc::data_work into;
    acc::gang_arguments arguments(l.launch, nullptr, queue, into);
    CHECK(arguments.pointers()[0] == a);
    CHECK(value_at<int*>(arguments.pointers()[1]) == a + 1);
    CHECK((arguments.pointers()[1] == &pointer) == !queue);
  }
}

TEST_CASE("a kernel for which the program waits reads any number of values in place") {
  for (const int count : {1, 12, 13, 40}) {
    std::vector<double> values(static_cast<std::size_t>(count), 2.5);
    launch_with l{};
    for (double& one : values) l.all.push_back({stretto_acc_value, &one, sizeof one, nullptr, "value"});
    l.launch.arguments = l.all.data();
    l.launch.argument_count = count;
    acc::data_work into;
    const acc::gang_arguments arguments(l.launch, nullptr, {}, into);
    REQUIRE(arguments.size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(arguments.pointers()[i] == &values[i]);
  }
}

TEST_CASE("a kernel on a device gets the device's addresses of present data") {
  device_with_array d;
  int *pointer = d.a + 3, *null = nullptr;
  auto* own = reinterpret_cast<int*>(d.data.allocate(16));
  const launch_with l{{stretto_acc_address, d.a, sizeof d.a, nullptr, "a"},
                      {stretto_acc_pointer, &pointer, sizeof pointer, nullptr, "pointer"},
                      {stretto_acc_pointer, &null, sizeof null, nullptr, "null"},
                      {stretto_acc_pointer, &own, sizeof own, nullptr, "own"},
                      {stretto_acc_value, &pointer, sizeof pointer, nullptr, "deviceptr"}};
  acc::data_work into;
  acc::gang_arguments arguments(l.launch, &d.data, {}, into);
  void** const all = arguments.pointers();
  CHECK(all[0] == d.on_device(d.a));
  CHECK(value_at<int*>(all[1]) == d.on_device(d.a + 3));
  CHECK(value_at<int*>(all[2]) == nullptr);
  CHECK(value_at<int*>(all[3]) == own);
  CHECK(value_at<int*>(all[4]) == pointer);  // it is not to be translated
}

TEST_CASE("a kernel that uses absent data gets an address at which nothing is") {
  device_with_array d;
  int other[2] = {}, *pointer = other;
  const launch_with l{{stretto_acc_address, other, sizeof other, nullptr, "other"},
                      {stretto_acc_pointer, &pointer, sizeof pointer, nullptr, "pointer"}};
  acc::data_work into;
  acc::gang_arguments arguments(l.launch, &d.data, {}, into);
  CHECK(arguments.pointers()[0] != other);
  CHECK((reinterpret_cast<std::uintptr_t>(arguments.pointers()[0]) >> 48) != 0);
  CHECK(value_at<int*>(arguments.pointers()[1]) != other);
}

TEST_CASE("a launch outside of queues waits for queues that use its data, and one in a queue for none") {
  device_with_array d;
  const launch_with l{{stretto_acc_address, d.a, sizeof d.a, nullptr, "a"}};
  acc::data_work into;
  acc::gang_arguments in_queue(l.launch, &d.data, 4, into);
  CHECK(into.queues.empty());
  acc::gang_arguments outside(l.launch, &d.data, {}, into);
  CHECK(into.queues == std::set<int>{4});
}

TEST_CASE("a pointer ahead of the part that is present keeps the memory of the part") {
  device_with_array d;
  int own[9] = {}, *pointer = own;
  const test::data_clause part(stretto_acc_create, own, {{4, 5, sizeof(int)}});
  acc::data_work work;
  d.data.enter(part.data, acc::data_environment::scope::dynamic, {}, "x.c:2", work);
  const launch_with l{{stretto_acc_pointer, &pointer, sizeof pointer, &part.data, "pointer"}};
  acc::gang_arguments arguments(l.launch, &d.data, {}, work);
  const acc::device_argument& on = arguments.on_device(0);
  CHECK(on.block.first == reinterpret_cast<std::byte*>(d.on_device(own + 4)));
  CHECK(on.block.bytes == 5 * sizeof(int));
  CHECK(on.address + 4 * sizeof(int) == on.block.first);
  CHECK(on.is_pointer);
}
