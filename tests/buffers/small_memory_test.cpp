// Devices with less memory than the buffers of a program: unused data is evicted, large launches are cut, and launches
// that cannot fit are refused.
#include <stretto/buffer.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "data/data_state.hpp"
#include "dist/simulated.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::with_variable;

STRETTO_KERNEL(number_rows, (out<long long, 2> u, int columns),
               { u(global_id(0), global_id(1)) = global_id(0) * columns + global_id(1); })
STRETTO_KERNEL(add_to_next, (in<long long> u, inout<long long> v),
               { v(global_id(0)) = (v(global_id(0)) * 3 + u(global_id(0))) % 1009; })
STRETTO_KERNEL(add_around, (in<long long> u, out<long long> v, int n), {
  int i = global_id(0);
  v(i) = (u(i) + (i > 0 ? u(i - 1) : 0) + (i + 1 < n ? u(i + 1) : 0)) % 1009;
})
STRETTO_KERNEL(sum_of_rows, (in<long long, 2> before, out<long long, 2> row, int rows), {
  long long s = 1;
  for (int i = 0; i < rows; ++i) s += before(i, global_id(1));
  row(global_id(0), global_id(1)) = s % 1009;
})
STRETTO_KERNEL(add_up_all, (in<long long> u, reduce<sum<long long>> total), { total(0) << u(global_id(0)); })
STRETTO_KERNEL(weigh_by_all, (in<long long> u, out<long long> v, int n), {
  long long s = 0;
  for (int i = 0; i < n; ++i) s += u(i);
  v(global_id(0)) = s;
})

/// Calls body on jobs of 1 and 3 nodes, with one and two devices, each with this memory.
template <class Body>
void on_small_devices(const char* memory, Body&& body) {
  const with_variable bytes("STRETTO_DEVICE_MEMORY", memory);
  for (const char* kind : {"sim", "sim:2"})
    for (const std::uint32_t nodes : {1u, 3u}) {
      INFO(nodes << " nodes with " << kind);
      test::on_nodes_of(simulated_job({.nodes = nodes, .seed = nodes}), {.workers = 1, .devices = kind},
                        [&](runtime&) { body(); });
    }
}

int differing(const buffer<long long>& b, const std::vector<long long>& known) {
  const auto seen = b.read().get();
  int wrong = 0;
  for (std::size_t i = 0; i < known.size(); ++i) wrong += seen.view()(static_cast<coordinate>(i)) != known[i];
  return wrong;
}

TEST_CASE("arrays that together take more than devices have are used in turn, and the host's memory does not fill up") {
  constexpr int n = 5000, arrays = 5, rounds = 12;
  on_small_devices("100K", [] {
    std::vector<std::vector<long long>> known(arrays, std::vector<long long>(n));
    std::vector<buffer<long long>> all;
    for (int a = 0; a < arrays; ++a) {
      std::iota(known[static_cast<std::size_t>(a)].begin(), known[static_cast<std::size_t>(a)].end(), a);
      all.emplace_back(box(0, n), known[static_cast<std::size_t>(a)].data());
    }
    for (int r = 0; r < rounds * arrays; ++r) {
      const auto from = static_cast<std::size_t>(r % arrays), to = static_cast<std::size_t>((r + 1) % arrays);
      launch(add_to_next, box(0, n), all[from](one_to_one), all[to](one_to_one));
      for (std::size_t i = 0; i < n; ++i) known[to][i] = (known[to][i] * 3 + known[from][i]) % 1009;
    }
    for (std::size_t a = 0; a < arrays; ++a) CHECK(differing(all[a], known[a]) == 0);
    for (const auto& m : data::state_of(*base::current()).memories)
      if (data::is_on_host(m.get())) CHECK(m->usage().peak < 3 * arrays * n * sizeof(long long));
  });
}

TEST_CASE("an array that grows row by row fills a device's memory, though old and new do not fit together") {
  constexpr int rows = 48, columns = 200;  // 75 KiB
  on_small_devices("80K", [&] {
    const box whole({0, 0}, {rows, columns});
    buffer<long long, 2> u(whole, {.name = "u"});
    std::vector<long long> sums(columns, 1), known(columns, 0);
    launch(number_rows, box({0, 0}, {1, columns}), u(one_to_one), columns);
    for (int j = 0; j < columns; ++j) known[static_cast<std::size_t>(j)] = j;
    for (int r = 1; r < rows; ++r) {
      launch(sum_of_rows, box({r, 0}, {r + 1, columns}), u(fixed(box({0, 0}, {r, columns}))), u(one_to_one), r);
      for (std::size_t j = 0; j < columns; ++j) {
        sums[j] += known[j];
        known[j] = sums[j] % 1009;
      }
    }
    const auto seen = u.read(box({rows - 1, 0}, {rows, columns})).get();
    int wrong = 0;
    for (int j = 0; j < columns; ++j) wrong += seen.view()(rows - 1, j) != known[static_cast<std::size_t>(j)];
    CHECK(wrong == 0);
  });
}

TEST_CASE("a launch whose part is larger than a device's memory is computed in pieces, and reduces") {
  constexpr int n = 60000;  // 469 KiB
  on_small_devices("64K", [&] {
    std::vector<long long> here(n), there(n);
    std::iota(here.begin(), here.end(), 0);
    buffer<long long> u(box(0, n), here.data()), v(box(0, n)), total(box(0, 1));
    for (int s = 0; s < 3; ++s) {
      launch(add_around, box(0, n), u(neighborhood(1)), v(one_to_one), n);
      launch(add_up_all, box(0, n), v(one_to_one), total.from_identity());
      std::swap(u, v);
      for (std::size_t i = 0; i < n; ++i)
        there[i] = (here[i] + (i > 0 ? here[i - 1] : 0) + (i + 1 < n ? here[i + 1] : 0)) % 1009;
      std::swap(here, there);
      CHECK(total.read().get().view()(0) == std::accumulate(here.begin(), here.end(), 0LL));
    }
    CHECK(differing(u, here) == 0);
  });
}

TEST_CASE("a launch that no cut fits into a device is refused with bytes and buffers, and the program continues") {
  constexpr int n = 10000;
  on_small_devices("64K", [&] {
    std::vector<long long> ones(n, 1);
    buffer<long long> u(box(0, n), ones.data(), {.name = "u"}), v(box(0, n), {.name = "v"});
    const std::string words =
        test::thrown_by([&] { launch(weigh_by_all, box(0, n), u(stretto::all), v(one_to_one), n); });
    CHECK_MESSAGE(words.find("error B24: \"weigh_by_all\" needs more of the memory of D0 than there is") == 0, words);
    CHECK_MESSAGE(words.find("80,000 bytes of buffer B0 \"u\"") != words.npos, words);
    CHECK_MESSAGE(words.find("submitted   small_memory_test.cpp:") != words.npos, words);
    launch(on(device_kind::host), weigh_by_all, box(0, n), u(stretto::all), v(one_to_one), n);
    CHECK(differing(v, std::vector<long long>(n, n)) == 0);
    launch(add_around, box(0, n), u(neighborhood(1)), v(one_to_one), n);
    std::vector<long long> known(n, 3);
    known.front() = known.back() = 2;
    CHECK(differing(v, known) == 0);
  });
}

}  // namespace
}  // namespace stretto
