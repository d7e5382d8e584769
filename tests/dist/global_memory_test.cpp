// Memory that all nodes of a job read and write directly: its layout, and instances in it.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/reduce.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "dist/global_memory.hpp"
#include "dist/simulated.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::error_of;
using test::on_all_nodes;
using test::on_nodes_of;
using test::thrown_by;

using table = instance<std::int64_t, 2>;

place global_of(const runtime& rt) { return rt.machine().places(place_kind::global_memory).front(); }
place main_of(const runtime& rt) { return rt.machine().memories().front(); }

std::int64_t value_at(coordinate i, coordinate j, std::int64_t salt) { return 100'000 * i + j + salt; }
void write_all(const table& t, std::int64_t salt) {
  auto v = t.view();
  for (coordinate i = v.min(0); i < v.max(0); ++i)
    for (coordinate j = v.min(1); j < v.max(1); ++j) v(i, j) = value_at(i, j, salt);
}
int wrong_in(const table& t, const box& part, std::int64_t salt) {
  auto v = t.view();
  int wrong = 0;
  for (coordinate i = part.min()[0]; i < part.max()[0]; ++i)
    for (coordinate j = part.min()[1]; j < part.max()[1]; ++j) wrong += v(i, j) != value_at(i, j, salt);
  return wrong;
}

TEST_CASE("the blocks of each share are distributed round-robin, and no two bytes of a job share a place") {
  for (const std::uint32_t nodes : {1u, 2u, 3u, 4u, 7u})
    for (const std::uint64_t bytes : {1ull, 65'536ull, 300'000ull, 1ull << 20}) {
      const dist::global_layout all(nodes, bytes);
      CHECK(all.share_bytes() >= bytes);
      CHECK(all.share_bytes() - bytes < nodes * dist::global_layout::block_bytes);
      std::set<std::pair<dist::rank, std::uint64_t>> blocks;
      for (dist::rank n = 0; n < nodes; ++n) {
        CHECK(all.spot_of(all.first_of(n)).node == n);
        for (std::uint64_t at = 0; at < all.share_bytes(); at += dist::global_layout::block_bytes) {
          const auto spot = all.spot_of(all.first_of(n) + at + 100);
          CHECK(spot.offset % dist::global_layout::block_bytes == 100);
          CHECK(spot.offset < all.share_bytes());
          CHECK(spot.bytes == dist::global_layout::block_bytes - 100);
          CHECK(blocks.emplace(spot.node, spot.offset).second);
        }
      }
    }
}

/// Checks what another node finds there, and writes new values.
int read_and_write(const table& t, const box& whole, const box& part, std::int64_t salt) {
  wait(t.ready());
  int wrong = 0;
  const table here = table::create(at_node(this_node()), whole).made;
  wait(copy(t, here));
  wrong += wrong_in(here, whole, salt);
  write_all(here, salt + 7);
  wait(copy(here, t, part));
  here.destroy();
  return wrong;
}

TEST_CASE("every node reads and writes instances that another made in global memory") {
  for (const bool checked : {false, true}) {
    const test::with_variable bytes("STRETTO_GLOBAL_MEMORY", "4M"), check("STRETTO_CHECK", checked ? "1" : "0");
    for (unsigned seed = 0; seed < test::scaled(8u, 400u); ++seed) {
      CAPTURE(seed);
      const std::uint32_t nodes = 1 + seed % 4;
      on_all_nodes({.nodes = nodes, .seed = seed, .jitter_seconds = 1e-5}, 1 + seed % 2, [&](runtime& rt) {
        const std::uint32_t self = this_node();
        std::mt19937_64 random(seed * 10 + self);
        const bool is_turned = random() % 3 == 0;  // then each element is transferred separately
        const auto rows = static_cast<coordinate>(1 + random() % (is_turned ? 20 : 300));
        const auto columns = static_cast<coordinate>(1 + random() % (is_turned ? 30 : 400));
        const box whole{{0, 0}, {rows, columns}};
        const box part{{rows / 3, columns / 4}, {rows, columns - columns / 5}};
        const instance_options layout{.order = is_turned ? axis_order::fortran : axis_order::c, .name = "shared"};
        const table t = table::create(at(global_of(rt)), whole, layout).made;
        CHECK(t.node() == self);
        const table here = table::create(at(main_of(rt)), whole).made;
        const auto salt = static_cast<std::int64_t>(1'000'000'000 * self);
        write_all(here, salt);
        const event there = copy(here, t);
        std::int64_t wrong = 0;
        for (std::uint32_t step = 1; step < nodes; ++step) {
          const std::uint32_t other = (self + step) % nodes;
          wrong += async(at_node(other), after(there), call<&read_and_write>(t, whole, part, salt)).get();
          wait(copy(t, here));
          wrong += wrong_in(here, part, salt + 7);
          write_all(here, salt);
          wait(copy(here, t));
        }
        CHECK(wrong == 0);
        wait(t.destroy(after(there)));
        here.destroy();
      });
    }
  }
}

TEST_CASE("fills and reductions of global memory, and copies within it, on one node and from another") {
  const test::with_variable bytes("STRETTO_GLOBAL_MEMORY", "32M");
  for (const std::uint32_t nodes : {1u, 3u})
    on_all_nodes({.nodes = nodes, .seed = nodes}, 1, [&](runtime& rt) {
      if (this_node() != 0) return;
      using numbers = instance<double>;
      const coordinate n = 300'000;  // 2.4 MB: more than one piece
      const auto made = nodes == 1 ? numbers::create(at(global_of(rt)), {0, n})
                                   : numbers::create(at_node(2), at(global_of(rt)), {0, n});
      wait(made.ready);
      const numbers u = made.made, v = numbers::create(at(global_of(rt)), {0, n}).made;
      const numbers here = numbers::create(at(main_of(rt)), {0, n}).made;
      const event filled = fill(u, 2.0);
      const event more = fill(u, box(10, 20), 5.0, after(filled));
      const event copied = copy(u, v, after(more));
      const event summed = reduce<sum<double>>(v, u, after(copied));
      wait(copy(u, here, after(summed)));
      auto at_ = here.view();
      int wrong = 0;
      for (coordinate i = 0; i < n; ++i) wrong += at_(i) != (i >= 10 && i < 20 ? 10.0 : 4.0);
      CHECK(wrong == 0);
      wait(reduce<sum<double>>(here, v));
      wait(reduce<sum<double>>(v, here));
      CHECK(at_(0) == 10.0);   // 4 + (2 + 4)
      CHECK(at_(15) == 25.0);  // 10 + (5 + 10)
      const auto r = reduction_instance<sum<double>>::create(at(main_of(rt)), {0, 100});
      {
        auto c = r.contribute();
        for (int i = 0; i < 5; ++i) c(7) << 1.0;
      }
      wait(copy(u, here, after(reduce(r, u))));
      CHECK(at_(7) == 9.0);
      CHECK(at_(8) == 4.0);
      r.destroy();
      wait(u.destroy());
      CHECK(thrown_by([&] { wait(fill(u, 1.0)); }).find("D01") != std::string::npos);
      wait(merge(v.destroy(), here.destroy()));
    });
}

TEST_CASE("the node that made it runs nothing while another reads and writes") {
  const test::with_variable bytes("STRETTO_GLOBAL_MEMORY", "1M");
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(10, 1'000); ++seed) {
    CAPTURE(seed);
    const simulated_job job({.nodes = 2, .seed = seed});
    std::vector<std::unique_ptr<runtime>> all;
    for (std::uint32_t n = 0; n < 2; ++n)
      all.push_back(std::make_unique<runtime>(
          runtime_options{.workers = 1, .seed = seed, .stepped = true, .job = job.endpoint(n)}));
    const auto step_until = [&](const event& e, std::uint32_t owner, std::initializer_list<std::uint32_t> who) {
      for (std::uint64_t i = 0;; ++i) {
        REQUIRE(i < 1'000'000);
        {
          const attached_thread here(*all[owner]);
          if (e.has_triggered()) return;
        }
        for (const std::uint32_t n : who) all[n]->step();
      }
    };
    const box whole{{0, 0}, {100, 200}};
    table t, mine, its;
    event ready;
    {
      const attached_thread here(*all[0]);
      mine = table::create(at(main_of(*all[0])), whole).made;
      t = table::create(at(global_of(*all[0])), whole).made;
      write_all(mine, 3);
      ready = copy(mine, t);
    }
    step_until(ready, 0, {0, 1});
    {
      const attached_thread here(*all[1]);
      its = table::create(at(main_of(*all[1])), whole).made;
      ready = t.ready();  // from here on node 1 knows the instance
    }
    step_until(ready, 1, {0, 1});
    for (int i = 0; i < 1000; ++i) all[static_cast<std::size_t>(i % 2)]->step();
    {
      const attached_thread here(*all[1]);
      ready = copy(t, its);
    }
    step_until(ready, 1, {1});
    {
      const attached_thread here(*all[1]);
      CHECK(wrong_in(its, whole, 3) == 0);
      write_all(its, 4);
      ready = copy(its, t);
    }
    step_until(ready, 1, {1});
    {
      const attached_thread here(*all[0]);
      ready = copy(t, mine);
    }
    step_until(ready, 0, {0});
    {
      const attached_thread here(*all[0]);
      CHECK(wrong_in(mine, whole, 4) == 0);
    }
    for (auto& rt : all) rt->leave();
    for (std::uint64_t i = 0; !(all[0]->is_job_over() && all[1]->is_job_over()); ++i) {
      REQUIRE(i < 1'000'000);
      all[i % 2]->step();
    }
  }
}

TEST_CASE("copies of blocks on a lost node fail, and the rest can be read") {
  const test::with_variable bytes("STRETTO_GLOBAL_MEMORY", "1M");
  for (unsigned seed = 1; seed <= test::scaled(5u, 200u); ++seed) {
    CAPTURE(seed);
    const simulated_job job({.nodes = 3, .seed = seed});
    on_nodes_of(job, {.workers = 1}, [&](runtime& rt) {
      if (this_node() != 0) return;
      for (const std::uint32_t n : {1u, 2u}) async(at_node(n), call<&this_node>()).get();  // they have started
      const box whole(0, 60'000), first(0, 1000);  // the first block is on this node, the third on node 2
      using numbers = instance<double>;
      const numbers t = numbers::create(at(global_of(rt)), whole).made,
                    here = numbers::create(at(main_of(rt)), whole).made;
      wait(fill(t, 1.5));
      job.kill(2);
      CHECK(thrown_by([&] { wait(copy(t, here)); }).find("N05") != std::string::npos);
      CHECK(thrown_by([&] { wait(fill(t, 2.5)); }).find("N05") != std::string::npos);
      wait(fill(here, 0.0));
      wait(copy(t, here, first));
      const double kept = here.view()(999);
      CHECK((kept == 1.5 || kept == 2.5));
    });
  }
}

TEST_CASE("a share that is full refuses with its bytes, or has a creation wait for a destruction") {
  const test::with_variable bytes("STRETTO_GLOBAL_MEMORY", "1M");
  on_all_nodes({.nodes = 2}, 1, [](runtime& rt) {
    using numbers = instance<std::byte>;
    const auto made = [&](coordinate size) { return numbers::create(at(global_of(rt)), {0, size}); };
    const error e = error_of([&] { wait(made((1 << 20) + 1).ready); });
    CHECK(e.code() == "D03");
    CHECK(std::string(e.what()).find("1,048,577 bytes") != std::string::npos);
    const numbers most = made(1 << 20).made;
    const user_event go = user_event::create();
    const event gone = most.destroy(after(go));
    const auto next = made(1000);
    CHECK_FALSE(next.ready.has_triggered());
    go.trigger();
    wait(gone);
    wait(next.ready);
    wait(next.made.destroy());
  });
}

TEST_CASE("elements of global memory can be neither viewed nor launched on, and not be indexed") {
  const test::with_variable bytes("STRETTO_GLOBAL_MEMORY", "1M");
  runtime rt({.workers = 1});
  rt.run([&] {
    const auto t = instance<int>::create(at(global_of(rt)), {0, 10}).made;
    const auto indices = instance<std::int64_t>::create(at(main_of(rt)), {0, 10}).made;
    const auto here = instance<int>::create(at(main_of(rt)), {0, 10}).made;
    CHECK(error_of([&] { t.view(); }).code() == "D15");
    CHECK(error_of([&] { gather(t, indices, here); }).code() == "D12");
  });
}

TEST_CASE("a runtime that contributes no bytes has no global memory") {
  runtime rt({.workers = 1});
  CHECK(rt.machine().places(place_kind::global_memory).empty());
}

}  // namespace
}  // namespace stretto
