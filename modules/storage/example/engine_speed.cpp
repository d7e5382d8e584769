// Compares io_uring with I/O threads: 4 KiB at random offsets, and 1 MiB one after the other, past the page cache.
//
//     engine_speed [FOLDER [MEBIBYTES]]
//
// Rounds of both engines alternate. Prints the medians of their operations per second, and the median of the ratios of
// neighbouring rounds.
#include <stretto/stretto.hpp>
#include <stretto_storage/storage.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

using namespace stretto;

namespace {

constexpr int rounds = 9;

struct pattern {
  const char* name;
  std::size_t bytes, count, at_once;
  bool is_random, is_read;
};
constexpr pattern patterns[] = {{"read 4 KiB, random, 32 at once", 4096, 4096, 32, true, true},
                                {"write 4 KiB, random, 32 at once", 4096, 4096, 32, true, false},
                                {"read 4 KiB, random, one at a time", 4096, 512, 1, true, true},
                                {"read 1 MiB, sequential, 4 at once", 1 << 20, 64, 4, false, true},
                                {"write 1 MiB, sequential, 4 at once", 1 << 20, 64, 4, false, false}};

/// Operations per second. Chains of operations, each after the one before, as many as are to move at once.
double speed(io_engine engine, const std::filesystem::path& path, std::size_t file_bytes, const pattern& p) {
  auto disks = std::make_shared<storage>(storage_options{.threads = 4, .engine = engine});
  runtime rt({.workers = 2, .modules = {disks}});
  double seconds = 0;
  rt.run([&] {
    const auto f = disks->open(path, open_mode::write, caching::direct).get();
    std::vector<std::byte> memory(p.bytes * p.at_once + 4096);
    std::byte* const aligned = memory.data() + (4096 - reinterpret_cast<std::uintptr_t>(memory.data()) % 4096);
    std::vector<event> last(p.at_once);
    std::mt19937_64 random(1);
    const auto since = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < p.count; ++i) {
      const std::size_t block = p.is_random ? random() % (file_bytes / p.bytes) : i % (file_bytes / p.bytes);
      event& before = last[i % p.at_once];
      const std::span<std::byte> part(aligned + i % p.at_once * p.bytes, p.bytes);
      before = p.is_read ? f.read(block * p.bytes, part, after(before)) : f.write(block * p.bytes, part, after(before));
    }
    wait(merge(last));
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  });
  return static_cast<double>(p.count) / seconds;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + rounds / 2, values.end());
  return values[rounds / 2];
}

void compare(const std::filesystem::path& path, std::size_t file_bytes, const pattern& p) {
  std::vector<double> ring, threads, ratios;
  for (int i = 0; i < rounds; ++i) {
    ring.push_back(speed(io_engine::ring, path, file_bytes, p));
    threads.push_back(speed(io_engine::threads, path, file_bytes, p));
    ratios.push_back(ring.back() / threads.back());
  }
  std::printf("%-36s io_uring %8.0f/s  threads %8.0f/s  ratio %.2f\n", p.name, median(ring), median(threads),
              median(ratios));
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path path = std::filesystem::path(count > 1 ? arguments[1] : ".") / "engine_speed.data";
  const std::size_t file_bytes = (count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 64) << 20;
  try {
    auto disks = std::make_shared<storage>();
    {
      runtime rt({.workers = 1, .modules = {disks}});
      rt.run([&] {
        const auto f = disks->open(path, open_mode::create).get();
        const std::vector<std::byte> zeros(file_bytes);
        wait(f.write(0, zeros));
        f.sync().get();
      });
    }
    for (const pattern& p : patterns) compare(path, file_bytes, p);
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  std::filesystem::remove(path);
}
