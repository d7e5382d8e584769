// Buffers and file systems that are full or limit files: every node is told so, and what was there before stays.
//
// In a folder, and so a process, of its own: children are forked before anything has threads.
#include <stretto/buffer_files.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <filesystem>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "dist/simulated.hpp"
#include "forked_child.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

constexpr int cannot_be_done_here = 77;

/// Each node of a job saves what fits, then what does not, for `reason` and with that remedy, and loads what fitted.
std::string fails_to_grow(std::uint32_t nodes, const std::string& zarr, const std::string& raw,
                          const std::string& reason, const std::string& remedy) {
  std::mutex lock;
  std::string wrong;
  const auto say = [&](const std::string& what) {
    const std::scoped_lock hold(lock);
    if (wrong.empty()) wrong = what;
  };
  test::on_nodes_of(simulated_job({.nodes = nodes, .seed = nodes}), {.workers = 1}, [&](runtime&) {
    std::vector<int> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 0);
    const buffer<int> fits(box(0, 1000), numbers.data());
    const buffer<int> large(box(0, 200'000), [](coordinate i) { return static_cast<int>(i); });  // 800 kB
    save_zarr(fits, zarr).get();
    save_raw(fits, raw).get();
    const auto look = [&](const error& e) {
      if (e.code() != "F01" || std::string(e.what()).find(reason) == std::string::npos)
        say(std::string("it said ") + e.what());
      if (e.what_to_try().find(remedy) == std::string::npos) say("it advised: " + e.what_to_try());
    };
    look(test::error_of([&] { save_zarr(large, zarr).get(); }));
    look(test::error_of([&] { save_raw(large, raw).get(); }));
    const auto from_zarr = load_zarr<int>(zarr).read().get();
    const auto from_raw = load_raw<int>(raw, box(0, 1000)).read().get();
    if (from_zarr.view()(999) != 999 || from_raw.view()(999) != 999) say("what was there before is not what it was");
  });
  for (const std::string& name : {zarr, raw})
    if (std::filesystem::exists(name + ".partial")) say("what could not be written is still there: " + name);
  return wrong;
}

TEST_CASE("a file system that is full fails the saving of a buffer on all nodes, and what was there stays") {
  for (const std::uint32_t nodes : {1u, 3u}) {
    const test::temporary_folder folder;
    const int code = test::in_forked_child([&]() -> std::string {
      if (::unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          mount("tmpfs", folder.path.c_str(), "tmpfs", 0, "size=300k") != 0)
        _exit(cannot_be_done_here);
      return fails_to_grow(nodes, folder.path / "u.zarr", folder.path / "u.raw", "No space left on device",
                           "free space there");
    });
    if (code == cannot_be_done_here) MESSAGE("no file system can be mounted here");
    else CHECK(code == 0);
  }
}

TEST_CASE("a limit on the size of files fails the saving of a buffer on all nodes, and the limit is named") {
  for (const std::uint32_t nodes : {1u, 3u}) {
    const test::temporary_folder folder;
    CHECK(test::in_forked_child([&] {
            signal(SIGXFSZ, SIG_IGN);
            const rlimit most{100'000, RLIM_INFINITY};
            setrlimit(RLIMIT_FSIZE, &most);
            return fails_to_grow(nodes, folder.path / "u.zarr", folder.path / "u.raw", "File too large", "ulimit -f");
          }) == 0);
  }
}

}  // namespace
}  // namespace stretto
