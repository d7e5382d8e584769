// Reads and writes with every number of workers, stepped and not; prints what failed and exits with 1.
#include <stretto/stretto.hpp>
#include <stretto_storage/storage.hpp>

#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "../src/transfer.hpp"

using namespace stretto;
using namespace std::chrono_literals;

namespace {

int failures = 0;
void check(bool ok, const char* what) {
  if (!ok) std::printf("FAILED: %s\n", what), ++failures;
}

std::vector<io_engine> engines() {
  auto disks = std::make_shared<storage>();
  runtime rt({.workers = 1, .modules = {disks}});
  std::printf("reads and writes by %s\n", disks->engine() == io_engine::ring ? "io_uring and threads" : "threads");
  if (disks->engine() == io_engine::threads) return {io_engine::threads};
  return {io_engine::threads, io_engine::ring};
}

std::string reason(const event& e) {
  try {
    wait(e);
  } catch (const std::exception& failed) {
    return failed.what();
  }
  return "";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::vector<std::byte> numbered_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

void round_trip(const std::filesystem::path& folder, io_engine engine, std::uint32_t workers, bool stepped) {
  auto disks = std::make_shared<storage>(storage_options{.engine = engine});
  const auto path = folder / ("round_trip_" + std::to_string(workers) + std::to_string(stepped));
  {
    runtime rt({.workers = workers, .stepped = stepped, .modules = {disks}});
    rt.run([&] {
      std::vector<int> out(300'000), in(out.size());
      std::iota(out.begin(), out.end(), 7);
      const auto f = disks->open(path, open_mode::create).get();
      std::vector<event> parts;
      constexpr std::size_t part = 50'000;
      for (std::size_t i = 0; i < out.size(); i += part) {
        const event written = f.write(i * sizeof(int), std::as_bytes(std::span(out).subspan(i, part)));
        parts.push_back(
            f.read(i * sizeof(int), std::as_writable_bytes(std::span(in).subspan(i, part)), after(written)));
      }
      wait(merge(parts));
      check(in == out, "what is read is what was written");
      f.sync().get();
      check(f.size() == out.size() * sizeof(int), "the file has the size of what was written");

      std::vector<std::byte> beyond(8);
      try {
        wait(f.read(f.size() - 4, beyond));
        check(false, "reading beyond the end fails");
      } catch (const std::exception& e) {
        check(std::string(e.what()).find("ends at byte 1200000") != std::string::npos, "and says where the file ends");
      }
      try {
        disks->open(folder / "absent" / "file", open_mode::read).get();
        check(false, "opening what is not there fails");
      } catch (const std::system_error& e) {
        check(e.code() == std::errc::no_such_file_or_directory, "with the system's reason");
      }
      // The handle is destroyed before its write begins.
      const user_event gate = user_event::create();
      event late;
      {
        const auto g = disks->open(path, open_mode::write).get();
        late = g.write(0, std::as_bytes(std::span(out).first(1)), after(gate));
      }
      gate.trigger();
      wait(late);
    });
    const auto s = rt.statistics();
    check(s.modules.size() == 3, "three statistics");
    check(s.modules[0].what == "reads" && s.modules[0].count == 7, "reads are counted");
    check(s.modules[1].count == 7 && s.modules[1].bytes == 1'200'004, "writes are counted with their bytes");
    // A task counts once its thread is through with it, which is after its future.
    while (rt.statistics().modules[2].count < 4) std::this_thread::yield();
    check(rt.statistics().modules[2].count == 4, "tasks at the disk are counted");
  }
  std::filesystem::remove(path);
}

void blocking_tasks_leave_workers_free() {
  auto disks = std::make_shared<storage>();
  runtime rt({.workers = 1, .modules = {disks}});
  rt.run([&] {
    std::atomic<bool> go{false};
    auto blocked = async(at(disks->where()), [&] {
      while (!go) std::this_thread::yield();  // as a system call would
      return std::this_thread::get_id();
    });
    auto free = async([&] {
      go = true;
      return std::this_thread::get_id();
    });
    check(blocked.get() != free.get(), "a task that blocks at the disk does not block the only worker");
  });
}

void direct_access_has_no_alignment(const std::filesystem::path& folder, io_engine engine) {
  auto disks = std::make_shared<storage>(storage_options{.engine = engine});
  const auto path = folder / "direct";
  {
    runtime rt({.workers = 2, .modules = {disks}});
    rt.run([&] {
      const auto f = disks->open(path, open_mode::create, caching::direct).get();
      auto expected = numbered_bytes(3 << 20);
      wait(f.write(0, expected));
      // Parts that share blocks with their neighbours, written at once, from memory of any alignment.
      const auto other = numbered_bytes(2 << 20);
      std::vector<event> parts;
      std::size_t at = 5, size = 1;
      for (unsigned k = 0; at + size < other.size(); ++k, at += size, size = size * 3 % 300'007 + k) {
        std::memcpy(&expected[at], &other[at + k % 3], size);
        parts.push_back(f.write(at, std::span(other).subspan(at + k % 3, size)));
      }
      wait(merge(parts));
      std::vector<std::byte> in(expected.size() + 1);
      for (const std::size_t from : {0u, 1u, 4095u, 4096u, 1'000'001u}) {
        std::fill(in.begin(), in.end(), std::byte{0});
        const auto into = std::span(in).subspan(from % 2, expected.size() - from);
        wait(f.read(from, into));
        check(std::memcmp(into.data(), &expected[from], into.size()) == 0, "direct reads bring what was written");
      }
      const auto cached = disks->open(path, open_mode::read).get();
      wait(cached.read(0, std::span(in).first(expected.size())));
      check(std::memcmp(in.data(), expected.data(), expected.size()) == 0, "and so do reads through the cache");
      check(has(reason(f.read(expected.size() - 10, std::span(in).first(8192))), "ends at byte 3145728"),
            "a direct read beyond the end says where the file ends");
    });
  }
  std::filesystem::remove(path);
}

void many_at_once(const std::filesystem::path& folder, io_engine engine) {
  auto disks = std::make_shared<storage>(storage_options{.engine = engine});
  const auto path = folder / "many";
  {
    runtime rt({.workers = 2, .modules = {disks}});
    rt.run([&] {
      constexpr std::size_t count = 2000, bytes = 300;
      const auto f = disks->open(path, open_mode::create).get();
      const auto out = numbered_bytes(count * bytes);
      std::vector<std::byte> in(out.size());
      std::vector<event> ended;
      for (std::size_t i = 0; i < count; ++i) {
        const event written = f.write(i * bytes, std::span(out).subspan(i * bytes, bytes));
        ended.push_back(f.read(i * bytes, std::span(in).subspan(i * bytes, bytes), after(written)));
      }
      wait(merge(ended));
      check(in == out, "more reads and writes than the kernel takes at once");
    });
  }
  std::filesystem::remove(path);
}

void writes_fail_with_the_systems_reason(const std::filesystem::path& folder, io_engine engine) {
  auto disks = std::make_shared<storage>(storage_options{.engine = engine});
  const auto path = folder / "limited";
  {
    runtime rt({.workers = 2, .modules = {disks}});
    rt.run([&] {
      const auto bytes = numbered_bytes(1'000'000);
      const auto full = disks->open("/dev/full", open_mode::write).get();
      const std::string why = reason(full.write(0, bytes));
      check(has(why, "No space left on device") && has(why, "/dev/full"), "a full disk fails the write, and is named");

      const auto f = disks->open(path, open_mode::create).get();
      rlimit before{};
      check(getrlimit(RLIMIT_FSIZE, &before) == 0, "the limit is known");
      const rlimit small{600'000, before.rlim_max};
      std::signal(SIGXFSZ, SIG_IGN);
      setrlimit(RLIMIT_FSIZE, &small);  // the system writes as much as it may, then it fails
      const std::string limited = reason(f.write(0, bytes));
      setrlimit(RLIMIT_FSIZE, &before);
      check(has(limited, "File too large") && has(limited, "at byte 600000"), "a short write goes on where it ended");
      check(f.size() == 600'000, "and what could be written is there");
      wait(f.write(0, bytes));
      check(f.size() == bytes.size(), "a later write succeeds");
    });
  }
  std::filesystem::remove(path);
}

void what_nobody_waits_for_ends_before_the_runtime(const std::filesystem::path& folder, io_engine engine) {
  const auto path = folder / "left";
  const auto bytes = numbered_bytes(5 << 20);
  file kept;
  {
    auto disks = std::make_shared<storage>(storage_options{.engine = engine});
    runtime rt({.workers = 1, .modules = {std::move(disks)}});
    rt.run([&] {
      async([&] { kept = this_runtimes<storage>().open(path, open_mode::create).get(); }).get();
      async([&] { kept.write(0, bytes); });  // the task ends, and the write goes on
    });
  }
  check(std::filesystem::file_size(path) == bytes.size(), "a write without a waiter is complete");
  auto others = std::make_shared<storage>(storage_options{.engine = engine});
  runtime rt({.workers = 1, .modules = {others}});
  rt.run([&] {
    const auto own = others->open(path, open_mode::read).get();
    std::vector<std::byte> in(10);
    check(has(reason(kept.read(0, in)), "no file that this module has open"), "a file of another module is refused");
    wait(own.read(0, in));
  });
  kept = {};
  std::filesystem::remove(path);
}

void simulated_speed_follows_the_clock(const std::filesystem::path& folder, io_engine engine) {
  const auto clock = std::make_shared<manual_clock>();
  auto disks = std::make_shared<storage>(storage_options{
      .engine = engine, .places = {{.name = "fast"}, {.name = "nvm", .latency = 2s, .bytes_per_second = 1000}}});
  const auto path = folder / "simulated";
  {
    runtime rt({.workers = 2, .modules = {disks}, .clock = clock});
    rt.run([&] {
      const place nvm = rt.machine().at("nvm");
      check(disks->where() == rt.machine().at("fast"), "the first place is where files are");
      const auto f = disks->open(path, open_mode::create, caching::cached, nvm).get();
      const auto bytes = numbered_bytes(1000);
      const event first = f.write(0, bytes), second = f.write(1000, bytes);
      clock->advance(2900ms);
      wait(disks->open(path, open_mode::write).get().write(5000, bytes));  // on the fast disk: polls have happened
      check(!first.has_triggered(), "a write takes its time at that speed, and the latency");
      clock->advance(100ms);
      wait(first);
      check(!second.has_triggered(), "the next one begins when the first one's bytes are there");
      clock->advance(1s);
      wait(second);
    });
  }
  std::filesystem::remove(path);
}

void pieces_of_direct_access() {
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<std::byte*>(address); };
  const auto pieces = [&](std::uint64_t offset, std::uintptr_t memory, std::size_t bytes, bool is_direct) {
    std::vector<transfer_piece> all;
    add_pieces(all, offset, at(memory), bytes, is_direct);
    return all;
  };
  using list = std::vector<transfer_piece>;
  check(pieces(5, 64, 100, false) == list{{5, at(64), 100}}, "through the cache: one piece");
  check(pieces(5, 64, 0, true).empty(), "nothing: no piece");
  check(pieces(5, 64, 100, true) == list{{5, at(64), 100}}, "no whole block: through the cache");
  check(pieces(4096, 8192, 8192, true) == list{{4096, at(8192), 8192, true}}, "aligned: direct");
  check(pieces(4096, 8000, 8192, true) == list{{4096, at(8000), 8192, true, true}}, "memory is not: by a buffer");
  check(pieces(4000, 8096, 4292, true) ==
            list{{4000, at(8096), 96}, {4096, at(8192), 4096, true}, {8192, at(12288), 100}},
        "both ends through the cache");
  check(pieces(0, 0, (1 << 20) + 4096, true) == list{{0, at(0), 1 << 20, true}, {1 << 20, at(1 << 20), 4096, true}},
        "large ones in pieces");
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path folder = count > 1 ? arguments[1] : ".";
  pieces_of_direct_access();
  for (const io_engine engine : engines()) {
    for (const std::uint32_t workers : {1u, 2u, 4u})
      for (const bool stepped : {false, true}) round_trip(folder, engine, workers, stepped);
    direct_access_has_no_alignment(folder, engine);
    many_at_once(folder, engine);
    writes_fail_with_the_systems_reason(folder, engine);
    what_nobody_waits_for_ends_before_the_runtime(folder, engine);
    simulated_speed_follows_the_clock(folder, engine);
  }
  blocking_tasks_leave_workers_free();
  std::puts(failures ? "the storage module failed" : "the storage module works");
  return failures != 0;
}
