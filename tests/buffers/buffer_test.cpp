// Launches on buffers equal loops: on one node and many, on the host and on devices.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <vector>

#include "buffers/buffers_state.hpp"
#include "buffers/launch_pipeline.hpp"
#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "nodes_with_devices.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::with_variable;

STRETTO_KERNEL(set_to_place, (out<long long, 2> u, int columns),
               { u(global_id(0), global_id(1)) = global_id(0) * columns + global_id(1); })
STRETTO_KERNEL(scale_and_add, (inout<long long, 2> u, long long by),
               { u(global_id(0), global_id(1)) = u(global_id(0), global_id(1)) * 3 % 1009 + by; })
STRETTO_KERNEL(cross_sum, (in<long long, 2> u, out<long long, 2> v, int rows, int columns), {
  const int i = global_id(0);
  const int j = global_id(1);
  long long s = u(i, j);
  if (i > 0) s += u(i - 1, j);
  if (j > 0) s += u(i, j - 1);
  if (i + 1 < rows) s += u(i + 1, j);
  if (j + 1 < columns) s += u(i, j + 1);
  v(i, j) = s % 1009;
})
STRETTO_KERNEL(row_sum, (in<long long, 2> u, inout<long long, 2> v, int columns), {
  long long s = 0;
  for (int j = 0; j < columns; ++j) s += u(global_id(0), j);
  v(global_id(0), global_id(1)) = (v(global_id(0), global_id(1)) + s) % 1009;
})
STRETTO_KERNEL(add_turned, (in<long long, 2> u, inout<long long, 2> v), {
  v(global_id(0), global_id(1)) = (v(global_id(0), global_id(1)) + 2 * u(global_id(1), global_id(0))) % 1009;
})
STRETTO_KERNEL(add_all, (in<long long, 2> u, inout<long long, 2> v, int rows, int columns), {
  long long s = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) s += u(i, j) * (i + 2 * j + 1);
  v(global_id(0), global_id(1)) = (v(global_id(0), global_id(1)) + s) % 1009;
})
STRETTO_KERNEL(add_below, (in<long long, 2> u, inout<long long, 2> v, int rows), {
  if (global_id(0) + 2 < rows)
    v(global_id(0), global_id(1)) = (v(global_id(0), global_id(1)) + u(global_id(0) + 2, global_id(1))) % 1009;
})

STRETTO_KERNEL(mix, (in<long long, 2> u, reduce<bit_xor<long long>, 2> v, int rows, int columns), {
  v((global_id(0) + global_id(1)) % rows, global_id(1) * 2 % columns) << u(global_id(0), global_id(1));
})

// The same with a custom operator.
STRETTO_DEVICE_FUNCTION(long long, without_carry, (long long a, long long b), { return a ^ b; })
STRETTO_DEVICE_OPERATOR(sum_without_carry, long long, without_carry, 0)
STRETTO_KERNEL(mix_by_own, (in<long long, 2> u, reduce<sum_without_carry, 2> v, int rows, int columns), {
  v((global_id(0) + global_id(1)) % rows, global_id(1) * 2 % columns) << u(global_id(0), global_id(1));
})

TEST_CASE("a stencil on distributed buffers gives what a loop gives, on any number of nodes and devices") {
  test::on_nodes_with_devices([] {
    constexpr int rows = 37, columns = 21, steps = 9;
    const box whole({0, 0}, {rows, columns});
    std::vector<long long> a(rows * columns), b(a);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<long long>(i);
    buffer<long long, 2> u(whole, {.name = "u"}), v(whole, {.name = "v"});
    launch(set_to_place, whole, u(one_to_one), columns);
    for (int s = 0; s < steps; ++s) {
      launch(cross_sum, whole, u(star(1)), v(one_to_one), rows, columns);
      std::swap(u, v);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
          long long sum = a[static_cast<std::size_t>(i * columns + j)];
          if (i > 0) sum += a[static_cast<std::size_t>((i - 1) * columns + j)];
          if (j > 0) sum += a[static_cast<std::size_t>(i * columns + j - 1)];
          if (i + 1 < rows) sum += a[static_cast<std::size_t>((i + 1) * columns + j)];
          if (j + 1 < columns) sum += a[static_cast<std::size_t>(i * columns + j + 1)];
          b[static_cast<std::size_t>(i * columns + j)] = sum % 1009;
        }
      std::swap(a, b);
    }
    const auto seen = u.read().get();
    int wrong = 0;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) wrong += seen.view()(i, j) != a[static_cast<std::size_t>(i * columns + j)];
    CHECK(wrong == 0);
  });
}

/// A program of launches on some arrays, on buffers and in loops.
class random_program {
 public:
  explicit random_program(std::uint32_t seed) : random_(seed), seed_(seed) {
    rows_ = number(1, 17);
    columns_ = number(1, 17);
    arrays_ = number(2, 4);
    steps_ = number(4, 30);
    reads_between_ = number(0, 1);
  }

  void run() {
    random_.seed(seed_ + 1);
    const box whole({0, 0}, {rows_, columns_});
    for (int a = 0; a < arrays_; ++a) {
      std::vector<long long>& here = loops_.emplace_back(static_cast<std::size_t>(rows_ * columns_));
      for (std::size_t i = 0; i < here.size(); ++i) here[i] = static_cast<long long>(i);
      if (number(0, 1)) {
        all_.emplace_back(whole, here.data());
      } else {
        all_.emplace_back(whole);
        launch(set_to_place, whole, all_.back()(one_to_one), columns_);
      }
    }
    for (int s = 0; s < steps_; ++s) {
      step();
      if (number(0, 9) == 0) {
        const auto step = static_cast<std::uint64_t>(number(0, 5));
        set_horizons({.step = step, .most_parallel = number(0, 1) ? static_cast<std::uint64_t>(number(2, 9)) : 0});
      }
      if (number(0, 5) == 0) weigh();
      if (reads_between_ && number(0, 5) == 0) compare(number(0, arrays_ - 1));
      if (number(0, 9) == 0) {  // a buffer is destroyed while launches use it, and another is made
        const int a = number(0, arrays_ - 1);
        all_[at(a)] = buffer<long long, 2>(whole, loops_[at(a)].data());
      }
    }
    for (int a = 0; a < arrays_; ++a) compare(a);
  }

 private:
  static std::size_t at(int n) { return static_cast<std::size_t>(n); }
  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  long long& element(int a, int i, int j) { return loops_[at(a)][at(i * columns_ + j)]; }

  // Other weights, or none: node weights are the same on all nodes, device weights differ, with the host or without.
  void weigh() {
    weight_settings w;
    const auto any = [&](int by) {
      return number(0, 4) == 0 ? 0.01 : static_cast<double>(1 + (number(1, 9) * by) % 10);
    };
    if (number(0, 3) != 0)
      for (std::uint32_t n = 0; n < job_nodes(); ++n) w.nodes.push_back(any(1));
    const std::size_t devices = buffers::state_of(*base::current()->runtime)->instructions.shape().devices.size();
    if (number(0, 3) != 0 && devices > 0)
      for (std::size_t d = devices + static_cast<std::size_t>(number(0, 1)); d > 0; --d)
        w.devices.push_back(any(static_cast<int>(this_node()) + 1));
    set_weights(w);
  }

  void step() {
    int u = number(0, arrays_ - 1), v = number(0, arrays_ - 1);
    if (u == v) v = (v + 1) % arrays_;
    const int i0 = number(0, rows_ - 1), i1 = number(i0 + 1, rows_), j0 = number(0, columns_ - 1),
              j1 = number(j0 + 1, columns_);
    const bool is_whole = number(0, 1);
    const box range = is_whole ? box({0, 0}, {rows_, columns_}) : box({i0, j0}, {i1, j1});
    const int what = number(0, 8);
    const bool on_host = number(0, 4) == 0;
    const int cut = number(0, 2);
    const auto go = [&](const auto& k, const auto&... given) {
      if (on_host) launch(on(device_kind::host), k, range, given...);
      else if (cut == 0) launch(in_tiles, k, range, given...);
      else if (cut == 1) launch(in_pieces{3}, k, range, given...);
      else launch(k, range, given...);
    };
    auto &of = all_[at(u)], &to = all_[at(v)];
    const long long by = number(0, 100);
    switch (what) {
      case 0: go(scale_and_add, to(one_to_one), by); break;
      case 1: go(cross_sum, of(neighborhood(1)), to(one_to_one), rows_, columns_); break;
      case 2: go(row_sum, of(slice(1)), to(one_to_one), columns_); break;
      case 3:
        if (rows_ != columns_) return;
        go(add_turned, of(transposed), to(one_to_one));
        break;
      case 4: go(add_all, of(all), to(one_to_one), rows_, columns_); break;
      case 5:
        go(add_below,
           of([](const box& part, const box& elements) { return intersection(part.shifted({2, 0}), elements); }),
           to(one_to_one), rows_);
        break;
      case 6:
        by % 2 ? go(mix, of(one_to_one), to, rows_, columns_) : go(mix_by_own, of(one_to_one), to, rows_, columns_);
        break;
      case 7:
        by % 2 ? go(mix, of(one_to_one), to.from_identity(), rows_, columns_)
               : go(mix_by_own, of(one_to_one), to.from_identity(), rows_, columns_);
        break;
      default: go(cross_sum, of(star(1)), to(one_to_one), rows_, columns_); break;
    }
    loop(what, u, v, range, by);
  }

  void loop(int what, int u, int v, const box& range, long long by) {
    const std::vector<long long> before = loops_[at(u)];
    const auto old = [&](int i, int j) { return before[at(i * columns_ + j)]; };
    if (what == 7) std::ranges::fill(loops_[at(v)], 0);
    for (int i = static_cast<int>(range.min()[0]); i < range.max()[0]; ++i)
      for (int j = static_cast<int>(range.min()[1]); j < range.max()[1]; ++j) {
        long long& x = element(v, i, j);
        long long s = 0;
        switch (what) {
          case 0: x = x * 3 % 1009 + by; break;
          case 2:
            for (int k = 0; k < columns_; ++k) s += old(i, k);
            x = (x + s) % 1009;
            break;
          case 3: x = (x + 2 * old(j, i)) % 1009; break;
          case 4:
            for (int k = 0; k < rows_; ++k)
              for (int l = 0; l < columns_; ++l) s += old(k, l) * (k + 2 * l + 1);
            x = (x + s) % 1009;
            break;
          case 6:
          case 7: element(v, (i + j) % rows_, j * 2 % columns_) ^= old(i, j); break;
          case 5:
            if (i + 2 < rows_) x = (x + old(i + 2, j)) % 1009;
            break;
          default:
            s = old(i, j);
            if (i > 0) s += old(i - 1, j);
            if (j > 0) s += old(i, j - 1);
            if (i + 1 < rows_) s += old(i + 1, j);
            if (j + 1 < columns_) s += old(i, j + 1);
            x = s % 1009;
        }
      }
  }

  void compare(int a) {
    const auto seen = all_[at(a)].read().get();
    int wrong = 0;
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < columns_; ++j) wrong += seen.view()(i, j) != element(a, i, j);
    CHECK(wrong == 0);
  }

  std::mt19937 random_;
  const std::uint32_t seed_;
  int rows_, columns_, arrays_, steps_;
  bool reads_between_;
  std::vector<std::vector<long long>> loops_;
  std::vector<buffer<long long, 2>> all_;
};

TEST_CASE("random programs on buffers give what loops give, on all nodes") {
  const with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
  const std::uint32_t programs = test::scaled(60u, 3000u);
  constexpr const char* kinds[] = {"none", "sim(exports)", "sim:2", "sim:3"};
  for (std::uint32_t seed = 0; seed < programs; ++seed) {
    const std::uint32_t nodes = seed % 4 + 1;
    const std::string kind = kinds[seed / 4 % 4];
    CAPTURE(seed);
    INFO(nodes << " nodes with " << kind);
    test::on_nodes_of(simulated_job({.nodes = nodes, .seed = seed}), {.workers = seed % 2 + 1, .devices = kind},
                      [&](runtime&) { random_program(seed).run(); });
  }
}

TEST_CASE("so they do where no device has room for their arrays") {
  const std::uint32_t programs = test::scaled(60u, 3000u);
  for (std::uint32_t seed = 0; seed < programs; ++seed) {
    // the program uses up to 9 KiB, one launch up to 5
    const with_variable memory("STRETTO_DEVICE_MEMORY", seed % 3 ? "7K" : "10K");
    const std::uint32_t nodes = seed % 3 + 1;
    const std::string kind = seed / 3 % 2 ? "sim" : "sim:2";
    CAPTURE(seed);
    INFO(nodes << " nodes with " << kind);
    test::on_nodes_of(simulated_job({.nodes = nodes, .seed = seed}), {.workers = seed % 2 + 1, .devices = kind},
                      [&](runtime&) { random_program(seed + 5000).run(); });
  }
}

TEST_CASE("host tasks run on each node for its chunk, on one node, or on every node, and see what launches wrote") {
  test::on_nodes_with_devices([] {
    const box whole({0, 0}, {24, 5});
    buffer<long long, 2> u(whole);
    buffer<long long> sums(box(0, 24)), total(box(0, 1));
    launch(set_to_place, whole, u(one_to_one), 5);
    host_task(
        box(0, 24),
        [](const box& rows, view<const long long, 2> u, view<long long> sums) {
          for (auto i = rows.min()[0]; i < rows.max()[0]; ++i) {
            sums(i) = 0;
            for (int j = 0; j < 5; ++j) sums(i) += u(i, j);
          }
        },
        u.in([](const box& rows) { return box({rows.min()[0], 0}, {rows.max()[0], 5}); }), sums.out(one_to_one));
    host_task(
        on_one_node,
        [](view<const long long> sums, view<long long> total) {
          total(0) = 0;
          for (int i = 0; i < 24; ++i) total(0) += sums(i);
        },
        sums.in(all), total.out(all));
    long long seen = 0;
    const event looked =
        host_task(name("look"), on_each_node, [&seen](view<const long long> total) { seen = total(0); }, total.in(all));
    wait(looked);
    CHECK(seen == 120 * 119 / 2);
    std::vector<int> order;
    event last;
    for (int i = 0; i < 20; ++i) last = host_task(after(last), on_each_node, [&order, i] { order.push_back(i); });
    wait(last);
    CHECK(order.size() == 20);
    CHECK(std::is_sorted(order.begin(), order.end()));
  });
}

TEST_CASE("a buffer of more bytes than there are addresses is refused before there is one") {
  runtime rt({.workers = 1});
  rt.run([] {
    const box beyond(std::int64_t{0}, std::int64_t{1} << 61);
    CHECK(test::thrown_by([&] {
            buffer<double> x(beyond, {.name = "x"});
          }).starts_with("error D14: a buffer of more than 2^62 bytes was requested\n"));
    CHECK(test::thrown_by([&] {
            object<double> x(beyond);
          }).starts_with("error D14: an object of more than 2^62 bytes was requested\n"));
    CHECK(test::thrown_by([&] {
            buffer<double, 2> x(box({0, 0}, {std::int64_t{1} << 40, std::int64_t{1} << 40}));
          }).starts_with("error D14:"));
    CHECK(test::thrown_by([&] {
            buffer<double> x(box(0, 4));
            x.resized(beyond);
          }).starts_with("error D14:"));
    buffer<double> small(box(0, 4), [](coordinate i) { return static_cast<double>(i); });
    CHECK(small.read().get().view()(3) == 3);
  });
}

TEST_CASE("a host task that fails on one node fails what needs its elements on all, and those alone") {
  for (const std::uint32_t nodes : {1u, 3u})
    test::on_nodes_of(simulated_job({.nodes = nodes, .seed = 1}), {.workers = 1}, [](runtime&) {
      std::vector<long long> zeros(30);
      buffer<long long> x(box(0, 30), zeros.data()), y(box(0, 30), zeros.data());
      const event filled = host_task(
          x.elements(),
          [](const box& part, view<long long> x) {
            if (part.contains(point(29))) throw std::runtime_error("the disk is full");
            for (auto i = part.min()[0]; i < part.max()[0]; ++i) x(i) = 1;
          },
          x.out(one_to_one));
      host_task(y.elements(), [](const box& part, view<long long> y) { y(part.min()[0]) = 2; }, y.inout(one_to_one));
      const std::string words = test::thrown_by([&] { x.read().get(); });
      CHECK_MESSAGE(words.find("the disk is full") != words.npos, words);
      CHECK(y.read().get().view()(0) == 2);
      test::thrown_by([&] { wait(filled); });
      if (job_nodes() > 1 && this_node() == 0) CHECK(x.read(box(0, 5)).get().view()(4) == 1);
      if (job_nodes() > 1 && this_node() != 0) test::thrown_by([&] { (void)x.read(box(0, 5)).get(); });
    });
}

TEST_CASE("chunks that write the same elements are refused on every node, with the source line, and nothing changes") {
  test::on_nodes_with_devices([] {
    const box whole({0, 0}, {8, 8});
    buffer<long long, 2> u(whole, {.name = "u"});
    launch(set_to_place, whole, u(one_to_one), 8);
    if (job_nodes() > 1) {
      const std::string words = test::thrown_by([&] { launch(set_to_place, whole, u(all), 8); });
      CHECK(words.find("error B04") != words.npos);
      CHECK(words.find("buffer B0 \"u\"") != words.npos);
      CHECK(words.find("buffer_test.cpp") != words.npos);
    }
    CHECK(u.read().get().view()(7, 7) == 63);
  });
}

TEST_CASE("an argument that is no buffer, or has other elements, is refused by name") {
  runtime rt({.workers = 1});
  rt.run([] {
    buffer<long long, 2> u(box({0, 0}, {4, 4}), {.name = "image"}), none;
    CHECK(test::thrown_by([&] { launch(set_to_place, u.elements(), none(one_to_one), 4); }).find("error B07") !=
          std::string::npos);
    const std::string words = test::thrown_by([&] { (void)u.read(box({0, 0}, {5, 4})); });
    CHECK(words.find("error B08") != words.npos);
    CHECK(words.find("image") != words.npos);
  });
}

TEST_CASE("a mapper that owns the last handle of a buffer is forgotten like any other, and with the runtime") {
  for (const int mappers : {3, 100}) {
    runtime rt({.workers = 1});
    rt.run([&] {
      buffer<long long, 2> u(box({0, 0}, {8, 8}));
      for (int i = 0; i < mappers; ++i) {
        buffer<long long> owned(box(0, 4));
        host_task(
            on_one_node, [](view<long long, 2> u) { u(0, 0) = 1; },
            u.out([owned](const box&) { return box({0, 0}, {8, 8}); }));
      }
      CHECK(u.read(box({0, 0}, {1, 1})).get().view()(0, 0) == 1);
    });
  }
}

TEST_CASE("a read of unwritten elements is reported once for each line, with task, elements, buffer and place") {
  std::vector<std::string> told;
  {
    buffers::unwritten_warnings w;
    w.to([&](const std::string& text) { told.push_back(text); });
    const std::vector<box> boxes{box(0, 2), box(5, 6)};
    const auto here = std::source_location::current();
    for (int i = 0; i < 3; ++i) w.warn("\"sum\"", {4}, "buffer B4 \"u\"", region(std::span<const box>(boxes)), here);
    REQUIRE(told.size() == 1);
    CHECK(told[0] == "\"sum\" reads elements " + box(0, 2).text() +
                         " and 1 more box of buffer B4 \"u\" that nobody has written (buffer_test.cpp:" +
                         std::to_string(here.line()) + ")");
    for (std::uint32_t b = 5; b < 100; ++b) w.warn("\"sum\"", {b}, "buffer", region(box(0, 1)), here);
    CHECK(told.size() == 32);
    CHECK(told.back().find("further warnings like this are left out") != std::string::npos);
  }
  runtime rt({.workers = 1});
  rt.run([&] {
    const auto& s = buffers::state_of(*base::current()->runtime);
    told.clear();
    s->warnings.to([&](const std::string& text) { told.push_back(text); });
    buffer<long long, 2> u(box({0, 0}, {8, 8}), {.name = "image"});
    host_task(
        box(0, 4), [](view<long long, 2>) {},
        u.out([](const box& rows) { return box({rows.min()[0], 0}, {rows.max()[0], 8}); }));
    (void)u.read(box({0, 0}, {4, 8})).get();
    CHECK(told.empty());
    for (int i = 0; i < 2; ++i) launch(scale_and_add, box({2, 0}, {6, 8}), u(one_to_one), 1);
    { const buffers::drained_submission_lock all_handed_over(*s, std::source_location::current()); }
    REQUIRE(told.size() == 1);
    CHECK(told[0].find("\"scale_and_add\" reads elements " + box({4, 0}, {6, 8}).text() +
                       " of buffer B0 \"image\" that nobody has written") == 0);
    (void)u.read().get();
    CHECK(told.size() == 2);
  });
}

}  // namespace
}  // namespace stretto
