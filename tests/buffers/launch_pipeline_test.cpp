// Launches submitted by the pipeline (option pipeline): results are as without it, each finish waits for its own
// launches, and a refused launch ends the program.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "buffers/buffers_state.hpp"
#include "buffers/launch_pipeline.hpp"
#include "buffers/nodes_with_devices.hpp"
#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::with_variable;

struct many_values {
  int at[40];  // more than is stored inline
};

STRETTO_KERNEL(begin_line, (out<unsigned> u, unsigned first),
               { u(global_id(0)) = (unsigned)global_id(0) * 7u + first; })
STRETTO_KERNEL(step_line, (in<unsigned> u, inout<unsigned> v, unsigned by, int n), {
  int i = global_id(0);
  v(i) = v(i) * 3u + u((i + n - 1) % n) + by * u((i + 1) % n);
})
STRETTO_KERNEL(scale_line, (inout<unsigned> u, unsigned by), { u(global_id(0)) = u(global_id(0)) * by + 1u; })
STRETTO_KERNEL(sum_line, (in<unsigned> u, reduce<sum<unsigned>> total), { total(0) << u(global_id(0)); })

buffers::buffers_state& state_here() { return *buffers::state_of(*base::current()->runtime); }
std::uint64_t enqueued_launches() { return state_here().pending ? state_here().pending->pushed_count() : 0; }

/// A few launches repeated in random order with changing values; and in loops.
class recurring_program {
 public:
  explicit recurring_program(std::uint32_t seed) : random_(seed) {
    length_ = number(1, 40);
    for (int a = 0; a < arrays; ++a) {
      lines_[at(a)].resize(at(length_));
      all_[at(a)] = buffer<unsigned>(box(0, length_));
      begin(a);
    }
    total_ = buffer<unsigned>(box(0, 1));
  }

  void run(int steps) {
    for (int s = 0; s < steps; ++s) {
      switch (number(0, 15)) {
        case 0: begin(number(0, arrays - 1)); break;
        case 1: compare(number(0, arrays - 1)); break;
        case 2:
          set_horizons({.step = static_cast<std::uint64_t>(number(0, 5)),
                        .most_parallel = static_cast<std::uint64_t>(number(2, 9))});
          break;
        case 3: renew(number(0, arrays - 1)); break;
        case 4:
          if (number(0, 3) == 0) weigh();
          break;
        case 5:
          if (last_ != event()) wait(last_);
          break;
        case 6:
          finish([&] {
            for (int n = number(1, 5); n > 0; --n) step();
          });
          break;
        case 7:
          async([&] {
            for (int n = number(1, 5); n > 0; --n) step();
          }).get();
          break;
        case 8: add_up(); break;
        default: step();
      }
    }
    for (int a = 0; a < arrays; ++a) compare(a);
  }

 private:
  static constexpr int arrays = 3;
  static std::size_t at(int n) { return static_cast<std::size_t>(n); }
  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  std::pair<int, int> two() {
    const int u = number(0, arrays - 1), v = (u + number(1, arrays - 1)) % arrays;
    return {u, v};
  }

  void begin(int a) {
    const auto first = static_cast<unsigned>(number(0, 99));
    last_ = launch(begin_line, box(0, length_), all_[at(a)](one_to_one), first);
    for (int i = 0; i < length_; ++i) lines_[at(a)][at(i)] = static_cast<unsigned>(i) * 7u + first;
  }
  /// Destroys the buffer while pending launches name it.
  void renew(int a) {
    all_[at(a)] = buffer<unsigned>(box(0, length_));
    begin(a);
  }
  void step() {
    const auto [u, v] = two();
    const auto by = static_cast<unsigned>(number(1, 9));
    std::vector<unsigned>&from = lines_[at(u)], &to = lines_[at(v)];
    switch (number(0, 4)) {
      case 0:
      case 1:
        last_ = launch(step_line, box(0, length_), all_[at(u)](wrapped(1)), all_[at(v)](one_to_one), by, length_);
        for (int i = 0; i < length_; ++i)
          to[at(i)] = to[at(i)] * 3u + from[at((i + length_ - 1) % length_)] + by * from[at((i + 1) % length_)];
        break;
      case 2:
        last_ = launch(in_pieces{2}, name("scale"), scale_line, box(0, length_), all_[at(v)](one_to_one), by);
        for (unsigned& x : to) x = x * by + 1u;
        break;
      case 3: {  // most likely a new launch
        const int first = number(0, length_ - 1), end = number(first + 1, length_);
        last_ = launch(scale_line, box(first, end), all_[at(v)](one_to_one), by);
        for (int i = first; i < end; ++i) to[at(i)] = to[at(i)] * by + 1u;
        break;
      }
      default: {
        many_values more{};
        more.at[39] = static_cast<int>(by);
        last_ = host_task(
            box(0, length_),
            [more](const box& part, view<const unsigned> x, view<unsigned> y) {
              for (coordinate i = part.min()[0]; i < part.max()[0]; ++i)
                y(i) += x(i) * static_cast<unsigned>(more.at[39]);
            },
            all_[at(u)].in(one_to_one), all_[at(v)].inout(one_to_one));
        for (int i = 0; i < length_; ++i) to[at(i)] += from[at(i)] * by;
      }
    }
  }
  void add_up() {
    const int u = number(0, arrays - 1);
    last_ = launch(sum_line, box(0, length_), all_[at(u)](one_to_one), total_.from_identity());
    unsigned total = 0;
    for (const unsigned x : lines_[at(u)]) total += x;
    CHECK(total_.read().get().view()(0) == total);
  }
  void weigh() {
    weight_settings w;
    for (std::uint32_t n = 0; n < job_nodes(); ++n) w.nodes.push_back(number(1, 9));
    set_weights(w);
  }
  void compare(int a) {
    const auto seen = all_[at(a)].read().get();
    int wrong = 0;
    for (int i = 0; i < length_; ++i) wrong += seen.view()(i) != lines_[at(a)][at(i)];
    CHECK(wrong == 0);
  }

  std::mt19937 random_;
  int length_ = 0;
  std::array<std::vector<unsigned>, arrays> lines_;
  std::array<buffer<unsigned>, arrays> all_;
  buffer<unsigned> total_;
  event last_;
};

std::atomic<bool> names_too_much = false;
/// The elements that chunks write; evaluated again only if the cache has dropped the result.
constexpr auto own_or_all = [](const box& chunk, const box& elements) { return names_too_much ? elements : chunk; };

}  // namespace

TEST_CASE(
    "random programs that launch the same again and again give what loops give, handed over or not, on any nodes and "
    "devices") {
  constexpr const char* kinds[] = {"none", "sim", "sim:2", "sim:3"};
  const with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
  std::atomic<std::uint64_t> were_enqueued = 0;
  for (std::uint32_t seed = 0; seed < test::scaled(60u, 4000u); ++seed) {
    const with_variable pipeline("STRETTO_PIPELINE", seed % 6 == 5 ? "auto" : "on");
    const with_variable check("STRETTO_CHECK", seed % 5 == 4 ? "1" : "0");
    CAPTURE(seed);
    test::on_nodes_of(simulated_job({.nodes = seed % 4 + 1, .seed = seed}),
                      {.workers = seed % 3 + 1, .devices = kinds[seed / 4 % 4]}, [&](runtime&) {
                        recurring_program(seed).run(80);
                        were_enqueued += enqueued_launches();
                      });
  }
  CHECK(were_enqueued > 0);
}

TEST_CASE("handed over launches give what loops give where a seed says which task runs next") {
  const with_variable pipeline("STRETTO_PIPELINE", "on");
  for (std::uint32_t seed = 0; seed < test::scaled_of_one_thread(60u, 5000u); ++seed) {
    CAPTURE(seed);
    runtime rt({.workers = seed % 4 + 1, .seed = seed, .devices = seed % 2 ? "sim:2" : "none", .stepped = true});
    rt.run([&] {
      recurring_program(seed).run(60);
      CHECK(enqueued_launches() > 0);
    });
  }
}

TEST_CASE("a launch that was never said before is handed over where it cannot be refused, whatever it is cut into") {
  const with_variable option("STRETTO_PIPELINE", "on");
  constexpr int launches = 300;  // more than fit into the cache
  for (const char* devices : {"none", "sim:2"}) {
    CAPTURE(devices);
    test::on_nodes_of(simulated_job({.nodes = 2}), {.workers = 2, .devices = devices}, [&](runtime&) {
      const buffer<unsigned> u(box(0, 2 * launches), [](coordinate) { return 1u; });
      const std::uint64_t before = enqueued_launches();
      for (int n = 0; n < launches; ++n)
        launch(scale_line, box(2 * n, 2 * n + 2), u(one_to_one), static_cast<unsigned>(n));
      // the queue was full, and the program submitted the rest
      CHECK(enqueued_launches() - before >= buffers::pending_launches::most);
      const auto seen = u.read().get();
      int wrong = 0;
      for (int i = 0; i < 2 * launches; ++i) wrong += seen.view()(i) != static_cast<unsigned>(i / 2) + 1u;
      CHECK(wrong == 0);
    });
  }
}

TEST_CASE("a launch that may be refused is refused in the call, with or without the pipeline") {
  const with_variable memory("STRETTO_DEVICE_MEMORY", "64k");
  for (const char* pipeline : {"on", "auto", "off"}) {
    const with_variable option("STRETTO_PIPELINE", pipeline);
    CAPTURE(pipeline);
    runtime rt({.workers = 2, .devices = "sim:2"});
    rt.run([] {
      const buffer<unsigned> u(box(0, 100), [](coordinate) { return 1u; }),
          large(box(0, 100'000), [](coordinate) { return 1u; });
      const buffer<unsigned> total(box(0, 1));
      const std::uint64_t before = enqueued_launches();
      const auto code_of = [](auto f) { return test::thrown_by(f).substr(0, 10); };
      CHECK(code_of([&] { launch(begin_line, u.elements(), u(neighborhood(1)), 1u); }) == "error B04:");
      CHECK(code_of([&] { launch(begin_line, u.elements(), u(all), 1u); }) == "error B04:");
      CHECK(code_of([&] { launch(sum_line, box(0, 1), total(one_to_one), total.from_identity()); }) == "error B06:");
      CHECK(code_of([&] { launch(step_line, large.elements(), large(all), u(all), 1u, 1); }) == "error B31:");
      CHECK(code_of([&] { launch(sum_line, large.elements(), large(all), total.from_identity()); }) == "error B24:");
      const auto seen = [&](const box&, const box&) { return std::vector<box>{box(0, 101)}; };
      CHECK(code_of([&] { launch(sum_line, u.elements(), u(seen), total.from_identity()); }) == "error B05:");
      CHECK(enqueued_launches() == before);
      CHECK(u.read().get().view()(99) == 1u);
    });
  }
}

TEST_CASE("a finish waits for what was handed over within it, and for no more") {
  for (const char* pipeline : {"on", "auto", "off"}) {
    const with_variable option("STRETTO_PIPELINE", pipeline);
    for (std::uint32_t workers = 1; workers <= 3; ++workers) {
      CAPTURE(pipeline);
      CAPTURE(workers);
      runtime rt({.workers = workers, .devices = "none"});
      rt.run([] {
        set_horizons({.step = 0, .most_parallel = 0});  // waiting for one horizon waits for all before it
        const buffer<unsigned> u(box(0, 8)), held(box(0, 8));
        launch(begin_line, u.elements(), u(one_to_one), 1u);
        launch(begin_line, u.elements(), held(one_to_one), 1u);
        const user_event later = user_event::create();
        const auto wait_for_it = [later](view<unsigned>) { wait(later); };
        for (int n = 0; n < 3; ++n) host_task(box(0, 8), wait_for_it, held.inout(one_to_one));
        std::atomic<int> done = 0;
        finish([&] {
          for (int n = 0; n < 100; ++n) host_task(box(0, 8), [&done](view<unsigned>) { ++done; }, u.inout(one_to_one));
        });
        CHECK(done == 100);
        CHECK(!later.has_triggered());
        later.trigger();
      });
    }
  }
}

TEST_CASE("the program may hand over more than is kept, behind an event that it triggers then") {
  const with_variable option("STRETTO_PIPELINE", "on");
  for (std::uint32_t workers = 1; workers <= 2; ++workers) {
    runtime rt({.workers = workers, .devices = "sim:2"});
    rt.run([] {
      set_horizons({.step = 0, .most_parallel = 0});
      const buffer<unsigned> u(box(0, 50), [](coordinate) { return 1u; });
      const user_event first = user_event::create();
      std::vector<event> all;
      for (int n = 0; n < 500; ++n) all.push_back(launch(after(first), scale_line, u.elements(), u(one_to_one), 1u));
      CHECK(enqueued_launches() > 100);
      for (const event e : all) CHECK(!e.has_triggered());
      first.trigger();
      CHECK(u.read().get().view()(49) == 501u);
      for (const event e : all) wait(e);
    });
  }
}

TEST_CASE("objects owned by the function of a host task are released with it, with or without the pipeline") {
  for (const char* pipeline : {"on", "off"}) {
    const with_variable option("STRETTO_PIPELINE", pipeline);
    runtime rt({.workers = 2, .devices = "none"});
    rt.run([] {
      const buffer<unsigned> u(box(0, 8), [](coordinate) { return 0u; });
      for (int n = 0; n < 200; ++n) {
        auto owned = std::make_shared<int>(n);
        const std::weak_ptr<int> is(owned);
        finish([&] {
          host_task(
              box(0, 8), [owned = std::move(owned)](view<unsigned> all) { all(0) += static_cast<unsigned>(*owned); },
              u.inout(one_to_one));
        });
        wait(epoch());
        CHECK(is.expired());
      }
      CHECK(u.read().get().view()(0) == 200u * 199u / 2u);
    });
  }
}

TEST_CASE("a launch that is refused in the pipeline fails its event, with its line, and all later launches") {
  const with_variable option("STRETTO_PIPELINE", "on");
  for (std::uint32_t workers = 1; workers <= 2; ++workers) {
    names_too_much = false;
    runtime rt({.workers = workers, .devices = "sim:2"});
    const std::string end = test::thrown_by([&] {
      rt.run([] {
        const box whole(0, 100);
        const buffer<unsigned> u(whole, {.name = "u"});
        const auto again = [&] { return launch(begin_line, whole, u(own_or_all), 3u); };
        wait(again());
        wait(again());
        CHECK(enqueued_launches() == 1);
        {
          buffers::drained_submission_lock held(state_here(), std::source_location::current());
          state_here().commands.forget_shapes();
          state_here().instructions.forget_plans();
        }
        names_too_much = true;
        const event refused = again(), behind = launch(begin_line, whole, u(own_or_all), 3u);
        const std::string told = test::thrown_by([&] { wait(refused); });
        INFO(told);
        CHECK(told.find("error B04: ") != told.npos);
        CHECK(told.find("pipeline_test.cpp:") != told.npos);
        CHECK(test::thrown_by([&] { wait(behind); }).find("error B04: ") != std::string::npos);
        CHECK(test::thrown_by([&] { u.read().get(); }).starts_with("error B04: "));
        CHECK(test::thrown_by([&] { buffer<int> another(box(0, 4)); }).starts_with("error B04: "));
      });
    });
    CHECK(end == "nothing was thrown");
  }
  names_too_much = false;
}

TEST_CASE("a launch that is refused in the pipeline ends the run if its event is not observed") {
  const with_variable option("STRETTO_PIPELINE", "on");
  names_too_much = false;
  runtime rt({.workers = 2, .devices = "sim:2"});
  const std::string end = test::thrown_by([&] {
    rt.run([] {
      const buffer<unsigned> u(box(0, 100), {.name = "u"});
      for (int n = 0; n < 3; ++n) launch(begin_line, u.elements(), u(own_or_all), 3u);
      {
        buffers::drained_submission_lock held(state_here(), std::source_location::current());
        state_here().commands.forget_shapes();
        state_here().instructions.forget_plans();
      }
      names_too_much = true;
      launch(begin_line, u.elements(), u(own_or_all), 3u);
    });
  });
  INFO(end);
  CHECK(end.find("error B04: ") != end.npos);
  names_too_much = false;
}

}  // namespace stretto
