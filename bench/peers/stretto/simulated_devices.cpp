// simulated_devices.cpp - Stretto: objects on simulated devices whose time is modelled: several devices, one bus, too
// little memory.
//
// The runtime is stepped by one thread and time is counted, a microsecond for each look at the clock: figures say how
// well devices and wires are used, are the same each time, and know nothing of how busy this machine is or what the
// host's own work costs.
#include <stretto/finish.hpp>
#include <stretto/module.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "data/data_floor.hpp"
#include "data/host_channel.hpp"
#include "device/device_channel.hpp"
#include "device/device_set.hpp"
#include "device/sim/sim_device.hpp"
#include "objects/objects_floor.hpp"
#include "peers/stretto/benchmarks.hpp"

using namespace stretto;

// clang-format off
STRETTO_KERNEL(small_product, (in<float, 2> a, in<float, 2> b, out<float, 2> c, int n), {
  int i = global_id(0), j = global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a(i, k) * b(k, j);
  c(i, j) = sum;
})
STRETTO_KERNEL(multiplied, (in<float, 2> a, in<float, 2> b, inout<float, 2> c, int k0, int n), {
  int i = global_id(0), j = global_id(1);
  float sum = c(i, j);
  for (int k = 0; k < n; ++k) sum += a(i, k0 + k) * b(k0 + k, j);
  c(i, j) = sum;
})
STRETTO_KERNEL(waved, (inout<float, 2> older, in<float, 2> u), {
  int i = global_id(0), j = global_id(1);
  older(i, j) = 2 * u(i, j) - older(i, j) + 0.1f * ((u(i - 1, j) + u(i + 1, j)) + (u(i, j - 1) + u(i, j + 1)) - 4 * u(i, j));
})
// clang-format on

namespace {

class polled_devices final : public module {
 public:
  explicit polled_devices(device::device_set& all) : all_(all) {}
  std::string_view name() const noexcept override { return "simulated devices of a benchmark"; }
  void initialise(module_host& host) override { host.add_poller(all_); }

 private:
  device::device_set& all_;
};

struct model {
  unsigned devices = 1;
  bool shares_bus = false;
  double items_per_second = 1e6;
  double bytes_per_second = 1e9;
  std::uint64_t memory_bytes = 16 << 20;
};

double now = 0;  // seconds of the model

/// Bytes that launches had copied into the memories of devices, and to the host.
struct traffic {
  double to_devices = 0, to_host = 0;
};

/// Runs `body` in a runtime with such devices and the host.
traffic with_devices(const model& m, int workers, const std::function<void()>& body) {
  const auto wires = m.shares_bus ? device::sim::make_bus() : nullptr;
  std::vector<device::opened_device> open;
  for (unsigned d = 0; d < m.devices; ++d) {
    device::sim::options o;
    o.name = "modelled " + std::to_string(d);
    o.memory_bytes = m.memory_bytes;
    o.items_per_second = m.items_per_second;
    o.to_device_bytes_per_second = o.to_host_bytes_per_second = m.bytes_per_second;
    o.wires = wires;
    o.clock = [] { return now += 1e-6; };
    device::opened_device f;
    f.name = o.name;
    f.is = std::move(device::sim::make(o).device);
    open.push_back(std::move(f));
  }
  device::device_set all(std::move(open), {});
  const auto count = static_cast<std::uint32_t>(workers);
  const auto machine = std::make_shared<const platform>(all.extended(platform::discover(count)));
  const auto channels = std::make_shared<places::channel_registry>();
  data::add_host_channels(*channels);
  device::add_device_channels(*channels, all);
  runtime rt(
      {.workers = count, .machine = machine, .stepped = true, .modules = {std::make_shared<polled_devices>(all)}});
  rt.run([&] {
    base::runtime_context& context = *base::current()->runtime;
    objects::stop_objects(context);
    data::stop_data(context);
    data::start_data(context, rt.machine(), channels, false, &all);
    objects::start_objects(context, &all, {.policy = "earliest_finish", .workers = count, .clock = [] {
                                             return std::uint64_t(now * 1e9);
                                           }});
  });
  rt.run(body);
  traffic moved;
  const auto counted = rt.statistics().devices;  // the host first
  for (std::size_t d = 0; d < counted.size(); ++d)
    (d ? moved.to_devices : moved.to_host) += double(counted[d].brought_bytes);
  return moved;
}

const auto on_a_device = on(device_kind::device);
constexpr float initial = 0.5f;

std::vector<float> all_of(std::size_t n) { return std::vector<float>(n, initial); }

// ---- the series of small products, its data brought anew for each

constexpr int side = 64, products = 100, in_flight = 16;
constexpr double product_seconds = 4e-3;  // of a device

struct one_product {
  object<float, 2> a{box({0, 0}, {side, side})}, b{box({0, 0}, {side, side})}, c{box({0, 0}, {side, side})};
  future<object_accessor<const float, 2>> result;

  void begin() {
    for (object<float, 2>* x : {&a, &b}) {
      auto view = x->overwrite().get();
      for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) view.view()(i, j) = initial;
    }
    launch(on_a_device, small_product, c.elements(), a, b, c, side);
    result = c.read();
  }
  void end() {
    bench::expect("element of a product", long(result.get().view()(side - 1, 0)), long(side * initial * initial));
    result = {};
  }
};

double series_seconds(const model& m, int workers) {
  double seconds = 0;
  with_devices(m, workers, [&] {
    std::vector<one_product> sets(in_flight);
    const double begun = now;
    for (int i = 0; i < products + in_flight; ++i) {
      one_product& s = sets[std::size_t(i % in_flight)];
      if (i >= in_flight) s.end();
      if (i < products) s.begin();
    }
    seconds = now - begun;
  });
  return seconds;
}

// ---- the wave, by bands

struct bands {
  int count, rows, columns, steps;
  box all() const { return box({-1, -1}, {count * rows + 1, columns + 1}); }
  box of(int t, int around) const {
    return box({t * rows - around, -around}, {(t + 1) * rows + around, columns + around});
  }
};

double wave_seconds(const model& m, int workers, const bands& b, traffic* moved = nullptr) {
  double seconds = 0;
  const traffic all = with_devices(m, workers, [&] {
    const std::vector<float> flat = all_of(std::size_t(b.all().volume()));
    object<float, 2> u(b.all(), flat.data()), older(b.all(), flat.data());
    const double begun = now;
    finish([&] {
      for (int s = 0; s < b.steps; ++s, std::swap(u, older))
        for (int t = 0; t < b.count; ++t) launch(on_a_device, waved, b.of(t, 0), older(b.of(t, 0)), u(b.of(t, 1)));
    });
    const auto seen = u.read(b.of(0, 0)).get();
    seconds = now - begun;
    bench::expect("a flat field", long(seen.view()(1, 1) / initial), 1);
  });
  if (moved) *moved = all;
  return seconds;
}

/// How many times as fast as one device with the same wires.
template <class Seconds>
bench::outcome speed_up(const bench::options& o, model m, Seconds&& seconds) {
  m.devices = 1;
  const double alone = seconds(m);
  m.devices = unsigned(o.size);
  return {alone / (o.size == 1 ? alone : seconds(m))};
}

bench::outcome series_on(const bench::options& o, bool shares_bus) {
  model m{.shares_bus = shares_bus, .items_per_second = side * side / product_seconds};
  // Three matrices of 16 KiB a product. Where all share the wires these are busy for half of it: two devices are all
  // they feed.
  if (shares_bus) m.bytes_per_second = 3 * side * side * sizeof(float) / (product_seconds / 2);
  return speed_up(o, m, [&](const model& with) { return series_seconds(with, o.workers); });
}

bench::outcome wave_on(const bench::options& o, bool shares_bus) {
  const bands b{.count = 16, .rows = 16, .columns = 256, .steps = 12};
  model m{.shares_bus = shares_bus, .items_per_second = b.rows * b.columns / 4e-3};
  if (shares_bus) m.bytes_per_second = 64e6;
  return speed_up(o, m, [&](const model& with) { return wave_seconds(with, o.workers, b); });
}

// ---- four times what fits into the device's memory

constexpr double slow_wires = 32e6;

/// The fewest loads with which blocks of one size are used in this order, where so many fit: the block that is used
/// last leaves. Source: L. A. Belady, "A study of replacement algorithms", IBM Systems Journal 5 (1966).
long fewest_loads(const std::vector<std::vector<int>>& uses, std::size_t fit) {
  constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  std::vector<int> here;
  long loads = 0;
  const auto next_use = [&](int block, std::size_t after) {
    for (std::size_t i = after; i < uses.size(); ++i)
      if (std::ranges::count(uses[i], block)) return i;
    return never;
  };
  for (std::size_t i = 0; i < uses.size(); ++i)
    for (const int block : uses[i]) {
      if (std::ranges::count(here, block)) continue;
      ++loads;
      if (here.size() == fit) {
        auto last = here.end();
        std::size_t latest = 0;
        for (auto b = here.begin(); b != here.end(); ++b) {
          if (std::ranges::count(uses[i], *b)) continue;
          if (const std::size_t n = next_use(*b, i + 1); last == here.end() || n > latest) last = b, latest = n;
        }
        here.erase(last);
      }
      here.push_back(block);
    }
  return loads;
}

bench::outcome by_floor(double seconds, long loads, double block_bytes, const traffic& moved) {
  const double floor = double(loads) * block_bytes / slow_wires;
  return {seconds / floor,
          {{"seconds", seconds},
           {"floor_seconds", floor},
           {"fewest_loads", double(loads)},
           {"loads", moved.to_devices / block_bytes},
           {"saved", moved.to_host / block_bytes}}};
}

}  // namespace

bench::outcome speed_up_of_series(const bench::options& o) { return series_on(o, false); }
bench::outcome speed_up_of_series_on_one_bus(const bench::options& o) { return series_on(o, true); }
bench::outcome speed_up_of_wave(const bench::options& o) { return wave_on(o, false); }
bench::outcome speed_up_of_wave_on_one_bus(const bench::options& o) { return wave_on(o, true); }

bench::outcome compare_wave_beyond_memory(const bench::options& o) {
  const bands b{.count = 32, .rows = 16, .columns = 512, .steps = int(o.size)};
  const double block = double(b.rows) * b.columns * sizeof(float);
  const model m{.items_per_second = b.rows * b.columns / 0.2e-3,
                .bytes_per_second = slow_wires,
                .memory_bytes = std::uint64_t(2 * b.count * block / 4)};
  // Blocks 0 to count - 1 are bands of one field, the next ones those of the other.
  std::vector<std::vector<int>> uses;
  for (int s = 0; s < b.steps; ++s)
    for (int t = 0; t < b.count; ++t) {
      uses.push_back({s % 2 * b.count + t, (s + 1) % 2 * b.count + t});
      if (t > 0) uses.back().push_back(s % 2 * b.count + t - 1);
      if (t + 1 < b.count) uses.back().push_back(s % 2 * b.count + t + 1);
    }
  const long loads = fewest_loads(uses, std::size_t(2 * b.count / 4));
  traffic moved;
  const double seconds = wave_seconds(m, o.workers, b, &moved);
  return by_floor(seconds, loads, block, moved);
}

bench::outcome compare_product_beyond_memory(const bench::options& o) {
  const int tiles = int(o.size), n = 96, whole = tiles * n;
  const double block = double(n) * n * sizeof(float);
  const std::size_t fit = std::size_t(3 * tiles * tiles / 4);
  const model m{.items_per_second = n * n / 0.3e-3,
                .bytes_per_second = slow_wires,
                .memory_bytes = std::uint64_t(double(fit) * block)};
  std::vector<std::vector<int>> uses;
  const auto number = [&](int matrix, int i, int j) { return (matrix * tiles + i) * tiles + j; };
  double seconds = 0;
  const traffic moved = with_devices(m, o.workers, [&] {
    const box all({0, 0}, {whole, whole});
    const std::vector<float> halves = all_of(std::size_t(all.volume())), zeros(std::size_t(all.volume()));
    object<float, 2> a(all, halves.data()), b(all, halves.data()), c(all, zeros.data());
    const auto tile_of = [&](int i, int j) { return box({i * n, j * n}, {(i + 1) * n, (j + 1) * n}); };
    const double begun = now;
    finish([&] {
      for (int i = 0; i < tiles; ++i)
        for (int j = 0; j < tiles; ++j)
          for (int k = 0; k < tiles; ++k) {
            launch(on_a_device, multiplied, tile_of(i, j), a(tile_of(i, k)), b(tile_of(k, j)), c(tile_of(i, j)), k * n,
                   n);
            uses.push_back({number(0, i, k), number(1, k, j), number(2, i, j)});
          }
    });
    seconds = now - begun;
    bench::expect("element of the product", long(c.read(tile_of(tiles - 1, 0)).get().view()(whole - 1, 0)),
                  long(whole * initial * initial));
  });
  return by_floor(seconds, fewest_loads(uses, fit), block, moved);
}
