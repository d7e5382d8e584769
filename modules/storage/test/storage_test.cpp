// Reads and writes with every number of workers, stepped and not; prints what failed and exits with 1.
#include <stretto/stretto.hpp>
#include <stretto_storage/storage.hpp>

#include <atomic>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

using namespace stretto;

namespace {

int failures = 0;
void check(bool ok, const char* what) {
  if (!ok) std::printf("FAILED: %s\n", what), ++failures;
}

void round_trip(const std::filesystem::path& folder, std::uint32_t workers, bool stepped) {
  auto disks = std::make_shared<storage>();
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
      // The handle is gone before its write begins.
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

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path folder = count > 1 ? arguments[1] : ".";
  for (const std::uint32_t workers : {1u, 2u, 4u})
    for (const bool stepped : {false, true}) round_trip(folder, workers, stepped);
  blocking_tasks_leave_workers_free();
  std::puts(failures ? "the storage module failed" : "the storage module works");
  return failures != 0;
}
