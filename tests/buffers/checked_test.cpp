// STRETTO_CHECK=1: a kernel may use only the elements that its mappers name for its chunk, without gaps and corners.
#include <stretto/buffer.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "buffers/nodes_with_devices.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::with_variable;

STRETTO_KERNEL(fill_plane, (out<int, 2> u), { u(global_id(0), global_id(1)) = global_id(0) * 100 + global_id(1); })
/// The only item, in the middle, accesses one other element.
STRETTO_KERNEL(look_aside, (in<int, 2> u, inout<int, 2> v, int row, int column, int di, int dj), {
  int i = global_id(0), j = global_id(1);
  if (i == row && j == column) v(i, j) = u(i + di, j + dj);
})
STRETTO_KERNEL(fill_line, (out<int> u), { u(global_id(0)) = global_id(0); })
STRETTO_KERNEL(look_at, (in<int> u, inout<int> v, int item, int where), {
  if (global_id(0) == item) v(item) = u(where);
})
STRETTO_KERNEL(write_at, (inout<int> u, int item, int where), {
  if (global_id(0) == item) u(where) = 1;
})

const std::vector<std::string>& devices_of_mappers() {
  static const std::vector<std::string> all =
      test::usable_devices({"none", "sim", "sim:2", "opencl:1"}, "checked mappers");
  return all;
}

/// On the host and on one device of each checked kind.
template <class Body>
void on_checked(Body&& body) {
  const with_variable check("STRETTO_CHECK", "1");
  for (const std::string& kind : devices_of_mappers()) {
    INFO(kind);
    runtime rt({.workers = 2, .devices = kind});
    rt.run([&] { body(); });
  }
}

/// The outcome of an access to this element.
template <class Mapper>
std::string looked(const Mapper& m, int di, int dj) {
  return test::thrown_by([&] {
    const box whole({0, 0}, {16, 16});
    buffer<int, 2> u(whole), v(whole);
    launch(fill_plane, whole, u(one_to_one));
    launch(fill_plane, whole, v(one_to_one));
    // The chunk has one item, so that no other part contains its corners.
    launch(look_aside, box({8, 8}, {9, 9}), u(m), v(one_to_one), 8, 8, di, dj);
    CHECK(v.read().get().view()(8, 8) == (8 + di) * 100 + 8 + dj);
  });
}

bool is_refused(const std::string& text) { return text.find("error K01") != text.npos; }

}  // namespace

TEST_CASE("the corners of a star are none of its elements, those of a neighborhood are") {
  on_checked([] {
    for (int di = -2; di <= 2; ++di)
      for (int dj = -2; dj <= 2; ++dj) {
        CAPTURE(di);
        CAPTURE(dj);
        const bool is_within = di * di <= 1 && dj * dj <= 1;
        CHECK(is_refused(looked(star(1), di, dj)) == !(is_within && di * dj == 0));
        CHECK(is_refused(looked(neighborhood(1), di, dj)) == !is_within);
        CHECK(is_refused(looked(slice(1), di, dj)) == (di != 0));
        CHECK(is_refused(looked(one_to_one, di, dj)) == (di != 0 || dj != 0));
      }
  });
}

TEST_CASE("elements between the boxes of a custom mapper are not allowed, and the error names the boxes") {
  on_checked([] {
    const box whole(0, 40);
    const auto both_ends = [](const box&) { return std::vector<box>{box(0, 3), box(30, 34)}; };
    for (const int where : {0, 2, 3, 16, 29, 30, 33, 34, 39}) {
      CAPTURE(where);
      const std::string text = test::thrown_by([&] {
        buffer<int> u(whole), v(whole);
        launch(fill_line, whole, u(one_to_one));
        launch(fill_line, whole, v(one_to_one));
        launch(look_at, whole, u(both_ends), v(one_to_one), 17, where);
        CHECK(v.read().get().view()(17) == where);
      });
      INFO(text);
      CHECK(is_refused(text) == !(where < 3 || (where >= 30 && where < 34)));
      if (is_refused(text) && where < 34 && where > 2) CHECK(text.find("[0, 3) and [30, 34)") != text.npos);
    }
  });
}

TEST_CASE("a write beyond a chunk is refused, also at another device's part and around the end of wrapped") {
  on_checked([] {
    const box whole(0, 40);
    buffer<int> u(whole), v(whole);
    launch(fill_line, whole, u(one_to_one));
    launch(fill_line, whole, v(one_to_one));
    // The chunk is [10, 20), in one part or in two.
    CHECK(is_refused(test::thrown_by([&] { wait(launch(write_at, box(10, 20), u(one_to_one), 12, 20)); })));
    CHECK(!is_refused(test::thrown_by([&] { wait(launch(write_at, box(10, 20), v(one_to_one), 12, 12)); })));
    // Item 0 alone: its neighbours are 39 and 1.
    for (const int where : {0, 1, 2, 20, 38, 39}) {
      CAPTURE(where);
      buffer<int> x(whole), y(whole);
      launch(fill_line, whole, x(one_to_one));
      launch(fill_line, whole, y(one_to_one));
      CHECK(is_refused(test::thrown_by([&] {
              wait(launch(look_at, box(0, 1), x(wrapped(1)), y(one_to_one), 0, where));
            })) == (where != 0 && where != 1 && where != 39));
    }
  });
}

TEST_CASE("programs that name what they use are not accused, on any nodes and devices") {
  const with_variable check("STRETTO_CHECK", "1");
  test::on_nodes_with_devices([] {
    const box whole({0, 0}, {16, 16});
    buffer<int, 2> u(whole), v(whole);
    launch(fill_plane, whole, u(one_to_one));
    launch(fill_plane, whole, v(one_to_one));
    for (int i = 0; i < 4; ++i) launch(look_aside, whole, u(star(1)), v(one_to_one), 4 * i, 7, i % 2, 1 - i % 2);
    const auto seen = v.read().get();
    CHECK(seen.view()(4, 7) == 507);
    CHECK(seen.view()(8, 7) == 808);
  });
}

}  // namespace stretto
