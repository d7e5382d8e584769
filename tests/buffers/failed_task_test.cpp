// Failure propagation from a task on buffers: to readers of its results, and to nothing else, however late.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>
#include <stretto/side_effect.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "buffers/nodes_with_devices.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

constexpr int elements_of_row = 40;
const box full_row(0, elements_of_row);

STRETTO_KERNEL(set_all_to, (out<long long> u, int value), { u(global_id(0)) = value; })
STRETTO_KERNEL(add_to_each, (in<long long> u, inout<long long> v), { v(global_id(0)) += u(global_id(0)); })

/// Reads u, must write v, and fails on the node with the last element.
event fail_between(const buffer<long long>& u, const buffer<long long>& v) {
  return host_task(
      full_row,
      [](const box& part, view<const long long> u, view<long long> v) {
        if (part.contains(point(elements_of_row - 1))) throw std::runtime_error("the disk is full");
        for (auto i = part.min()[0]; i < part.max()[0]; ++i) v(i) = u(i);
      },
      u.in(one_to_one), v.out(one_to_one));
}

long long element_of(const buffer<long long>& u, coordinate i) { return u.read().get().view()(i); }

bool fails_with_the_disk(const buffer<long long>& u) {
  return test::thrown_by([&] { (void)u.read().get(); }).find("the disk is full") != std::string::npos;
}

TEST_CASE("an overwrite of elements that a failed task read, or was to write, does not fail with it") {
  test::on_nodes_with_devices([] {
    buffer<long long> u(full_row), v(full_row);
    launch(set_all_to, full_row, u(one_to_one), 1);
    const event failed = fail_between(u, v);
    launch(set_all_to, full_row, u(one_to_one), 2);
    CHECK(element_of(u, 3) == 2);
    CHECK(fails_with_the_disk(v));
    launch(set_all_to, full_row, v(one_to_one), 5);
    launch(add_to_each, full_row, u(one_to_one), v(one_to_one));
    CHECK(element_of(v, 39) == 7);
    test::thrown_by([&] { wait(failed); });
  });
}

TEST_CASE("elements of a failed task that were not overwritten still fail") {
  test::on_nodes_with_devices([] {
    buffer<long long> u(full_row, std::vector<long long>(elements_of_row).data()), v(full_row);
    const event failed = fail_between(u, v);
    const box first(0, 7);
    launch(set_all_to, first, v(one_to_one), 9);
    CHECK(v.read(first).get().view()(6) == 9);
    CHECK(fails_with_the_disk(v));
    test::thrown_by([&] { wait(failed); });
  });
}

TEST_CASE("horizons pass no failure on, and forget none") {
  test::on_nodes_with_devices([] {
    set_horizons({.step = 2});
    buffer<long long> u(full_row), v(full_row), w(full_row);
    launch(set_all_to, full_row, u(one_to_one), 1);
    launch(set_all_to, full_row, w(one_to_one), 0);
    const event failed = fail_between(u, v);
    for (int i = 0; i < 30; ++i) launch(add_to_each, full_row, u(one_to_one), w(one_to_one));
    CHECK(element_of(w, 20) == 30);
    launch(add_to_each, full_row, v(one_to_one), w(one_to_one));
    for (int i = 0; i < 30; ++i) launch(add_to_each, full_row, u(one_to_one), w(one_to_one));
    CHECK(fails_with_the_disk(w));
    launch(set_all_to, full_row, w(one_to_one), 4);
    CHECK(element_of(w, 20) == 4);
    CHECK(fails_with_the_disk(v));
    test::thrown_by([&] { wait(failed); });
  });
}

TEST_CASE("an epoch fails with what has failed since the one before") {
  test::on_nodes_with_devices([] {
    set_horizons({.step = 2});
    buffer<long long> u(full_row), v(full_row);
    launch(set_all_to, full_row, u(one_to_one), 1);
    const event failed = fail_between(u, v);
    for (int i = 0; i < 12; ++i) launch(set_all_to, full_row, u(one_to_one), i);
    const std::string words = test::thrown_by([] { wait(epoch()); });
    const bool is_here = this_node() + 1 == job_nodes();  // this node has the last element
    CHECK_MESSAGE((words.find("the disk is full") != words.npos) == is_here, words);
    launch(set_all_to, full_row, u(one_to_one), 3);
    wait(epoch());
    CHECK(element_of(u, 0) == 3);
    CHECK(fails_with_the_disk(v));
    test::thrown_by([&] { wait(failed); });
  });
}

}  // namespace
}  // namespace stretto
