#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/spin_lock.hpp"
#include "campaign.hpp"
#include "ranks/collectives/reduction_operation.hpp"
#include "ranks/datatypes/data_part.hpp"
#include "ranks/datatypes/external32.hpp"
#include "ranks/datatypes/packed_data.hpp"
#include "ranks/datatypes/type_constructors.hpp"
#include "ranks/file_model.hpp"
#include "ranks/inaccessible_memory.hpp"
#include "ranks/random_types.hpp"
#include "ranks/windows/window_update.hpp"

using namespace stretto;
using ranks::data_part, ranks::file_direction, ranks::predefined_operator;
using test::element_memory, test::inaccessible_memory, test::modelled_type, test::random_types;

namespace {

constexpr std::uintptr_t int_type = 0x209, double_type = 0x214;

const ranks::datatype& type_of_handle(std::uintptr_t handle) { return *ranks::predefined_type(handle); }

/// Elements on a device, with the bytes of elements on the host.
struct device_elements {
  explicit device_elements(element_memory& of) : before(of.origin() - of.bytes.data()), memory(of.bytes) {}

  std::byte* origin() const { return memory.first() + before; }

  std::ptrdiff_t before;
  inaccessible_memory memory;
};

template <class Value>
std::vector<std::byte> bytes_of(const std::vector<Value>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

template <class Value>
std::vector<Value> values_of(const std::vector<std::byte>& bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Random elements that may be received into, filled with bytes.
struct random_elements {
  explicit random_elements(std::uint64_t seed) {
    random_types random(seed);
    do {
      made = random.next();
      count = random.number(1, 4);
    } while (has_overlaps());
    host.emplace(made.model, count);
    host->fill(static_cast<unsigned>(seed));
  }
  bool has_overlaps() const {
    auto displacements = made.model.bytes(count);
    std::ranges::sort(displacements);
    return std::ranges::adjacent_find(displacements) != displacements.end();
  }
  data_part at(std::byte* origin) const { return {origin, count, *made.type}; }

  modelled_type made;
  std::int64_t count = 0;
  std::optional<element_memory> host;
};

void access(test::test_file& file, const test::modelled_view& v, file_direction direction, const data_part& data) {
  const ranks::file_request_owner request(new ranks::file_request(v.view, {}, {direction, v.view.get(), 0, data}));
  file.opened->start(*request, ranks::access_mode::usual);
  REQUIRE(request->is_done());
  REQUIRE(!request->failure());
}

std::uint64_t memory_cases() { return test::scaled<std::uint64_t>(1000, 20'000); }

}  // namespace

TEST_CASE("elements of random types are copied from the memory of a device, to it, and within it") {
  for (std::uint64_t seed = 0; seed < memory_cases(); ++seed) {
    CAPTURE(seed);
    random_elements e(seed);
    element_memory empty(e.made.model, e.count);
    element_memory expected = empty;
    ranks::copy_part(e.at(expected.origin()), e.at(e.host->origin()));

    const device_elements source(*e.host);
    element_memory to_host = empty;
    REQUIRE(ranks::copy_part(e.at(to_host.origin()), e.at(source.origin())) == e.made.model.size() * e.count);
    REQUIRE(to_host.bytes == expected.bytes);

    const device_elements from_host(empty), from_other(empty);
    ranks::copy_part(e.at(from_host.origin()), e.at(e.host->origin()));
    REQUIRE(from_host.memory.bytes == expected.bytes);
    ranks::copy_part(e.at(from_other.origin()), e.at(source.origin()));
    REQUIRE(from_other.memory.bytes == expected.bytes);
  }
}

TEST_CASE("parts of elements on a device are those of the elements") {
  for (std::uint64_t seed = 0; seed < memory_cases(); ++seed) {
    CAPTURE(seed);
    random_elements e(seed);
    const device_elements source(*e.host);
    const std::int64_t all = e.made.model.size() * e.count, first = all / 3, bytes = all / 2;
    std::vector<std::byte> expected(static_cast<std::size_t>(bytes)), got = expected;
    ranks::copy_part({expected.data(), bytes}, e.at(e.host->origin()).part(first, bytes));
    ranks::copy_part({got.data(), bytes}, e.at(source.origin()).part(first, bytes));
    REQUIRE(got == expected);
  }
}

TEST_CASE("rows on a device are one copy, and so are bytes between devices that reach each other") {
  const auto column = ranks::make_vector(50, 1, 8, type_of_handle(double_type));
  column->commit();
  std::vector<double> matrix(400);
  std::iota(matrix.begin(), matrix.end(), 0);
  inaccessible_memory source(bytes_of(matrix)), target(std::vector<std::byte>(400));
  source.reached = &target;
  std::vector<double> host(50);
  ranks::copy_part({host.data(), 400}, {source.first() + 3 * sizeof(double), 1, *column});
  CHECK(source.copies == 1);
  for (std::size_t i = 0; i < host.size(); ++i) CHECK(host[i] == static_cast<double>(8 * i + 3));

  ranks::copy_part({target.first(), 400}, {source.first() + 5 * sizeof(double), 1, *column});
  CHECK(source.copies == 2);
  CHECK(target.copies == 0);
  const auto got = values_of<double>(target.bytes);
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == static_cast<double>(8 * i + 5));
}

TEST_CASE("an operation combines values of devices with those of the host") {
  const std::vector<int> a = {1, 2, 3, 4}, b = {10, 20, 30, 40}, expected = {11, 22, 33, 44};
  const auto plus = static_cast<std::uintptr_t>(predefined_operator::sum);
  const ranks::combiner add(*ranks::predefined_operation(plus), type_of_handle(int_type));
  inaccessible_memory in(bytes_of(a)), inout(bytes_of(b));
  std::vector<int> on_host = b;
  add(in.first(), on_host.data(), 4);
  CHECK(on_host == expected);
  add(a.data(), inout.first(), 4);
  CHECK(values_of<int>(inout.bytes) == expected);
  add(in.first(), inout.first(), 4);
  CHECK(values_of<int>(inout.bytes) == std::vector<int>{12, 24, 36, 48});
}

TEST_CASE("elements on a device are packed and unpacked") {
  for (std::uint64_t seed = 0; seed < memory_cases(); ++seed) {
    CAPTURE(seed);
    random_elements e(seed);
    element_memory empty(e.made.model, e.count);
    const device_elements source(*e.host), target(empty);
    std::vector<std::byte> expected(static_cast<std::size_t>(e.made.model.size() * e.count)), got = expected;
    std::int64_t position = 0;
    ranks::pack(*e.made.type, e.host->origin(), e.count, expected, position);
    ranks::pack(*e.made.type, source.origin(), e.count, got, position = 0);
    REQUIRE(got == expected);
    ranks::unpack(*e.made.type, empty.origin(), e.count, got, position = 0);
    ranks::unpack(*e.made.type, target.origin(), e.count, got, position = 0);
    REQUIRE(target.memory.bytes == empty.bytes);
  }
}

TEST_CASE("elements on a device are converted to the external representation and back") {
  const std::vector<int> values = {1, -2, 70000};
  const inaccessible_memory source(bytes_of(values)), target(std::vector<std::byte>(12));
  std::vector<std::byte> expected(12), got(12);
  std::int64_t position = 0;
  ranks::pack_external(type_of_handle(int_type), values.data(), 3, expected, position);
  ranks::pack_external(type_of_handle(int_type), source.first(), 3, got, position = 0);
  CHECK(got == expected);
  ranks::unpack_external(type_of_handle(int_type), target.first(), 3, got, position = 0);
  CHECK(values_of<int>(target.bytes) == values);
}

TEST_CASE("files are written from the memory of a device, and read into it") {
  for (std::uint64_t seed = 0; seed < memory_cases(); ++seed) {
    CAPTURE(seed);
    random_elements e(seed);
    random_types random(seed);
    const auto view = test::random_view(random, 4);
    const std::int64_t bytes = e.made.model.size() * e.count;
    if (!view || std::ssize(view->offsets) < bytes) continue;
    const device_elements source(*e.host);
    test::test_file from_host, from_device;
    access(from_host, *view, file_direction::write, e.at(e.host->origin()));
    access(from_device, *view, file_direction::write, e.at(source.origin()));
    REQUIRE(from_device.data() == from_host.data());

    element_memory empty(e.made.model, e.count);
    const device_elements target(empty);
    access(from_host, *view, file_direction::read, e.at(empty.origin()));
    access(from_host, *view, file_direction::read, e.at(target.origin()));
    REQUIRE(target.memory.bytes == empty.bytes);
  }
}

TEST_CASE("accesses to windows change values on a device") {
  base::spin_lock lock;
  const std::vector<int> a = {1, 2, 3}, b = {10, 20, 30};
  inaccessible_memory window(bytes_of(b));
  std::vector<int> before(3);
  const auto plus = static_cast<std::uintptr_t>(predefined_operator::sum);
  const ranks::element_update add(*ranks::predefined_operation(plus), type_of_handle(int_type));
  ranks::update_elements(add, {{a.data(), 12}, {window.first(), 12}, {before.data(), 12}}, lock);
  CHECK(before == b);
  CHECK(values_of<int>(window.bytes) == std::vector<int>{11, 22, 33});

  const int expected = 22, other = 5, desired = 7;
  int was = 0;
  ranks::exchange_value(window.first() + 4, {&desired, &expected, &was, 4}, lock);
  CHECK(was == 22);
  ranks::exchange_value(window.first() + 8, {&desired, &other, &was, 4}, lock);
  CHECK(was == 33);
  CHECK(values_of<int>(window.bytes) == std::vector<int>{11, 7, 33});
}
