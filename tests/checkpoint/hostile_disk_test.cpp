// File systems that are full, limit file sizes, or cannot exchange names: the last checkpoint stays, or the new one
// is complete.
#include <doctest/doctest.h>

#include <stretto/checkpoint.hpp>
#include <stretto/stretto.hpp>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "dist/simulated.hpp"
#include "forked_child.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using namespace test;

constexpr int not_possible_here = 77;

/// Runs a job with `nodes` nodes; node 0 runs `body`, which returns the error.
template <class F>
std::string wrong_in_job(std::uint32_t nodes, F&& body) {
  std::string wrong;
  on_all_nodes({.nodes = nodes, .seed = nodes}, 1, [&](runtime&) {
    if (this_node() == 0) wrong = body();
  });
  return wrong;
}

/// Has a checkpoint of step 1, fails with one that does not fit, for `reason` and with that remedy, and takes another
/// that does.
std::string fails_once(const std::string& directory, const std::string& reason, const std::string& remedy) {
  save_checkpoint(directory, {keep("step", 1)}).get();
  const std::vector<int> many(100'000, 7);  // 400 kB
  const object<int, 1> large(box(0, 100'000), many.data());
  const error said = error_of([&] { save_checkpoint(directory, {keep("step", 2), keep("large", large)}).get(); });
  if (said.code() != "C01" || std::string(said.what()).find(reason) == std::string::npos)
    return std::string("it said ") + said.what();
  if (said.what_to_try().find(remedy) == std::string::npos) return "it advised: " + said.what_to_try();
  if (open_checkpoint(directory).value<int>("step") != 1) return "the last checkpoint is not what it was";
  if (std::filesystem::exists(directory + ".partial")) return "what could not be written is still there";
  save_checkpoint(directory, {keep("step", 3)}).get();
  return open_checkpoint(directory).value<int>("step") == 3 ? "" : "the next checkpoint has not replaced the last one";
}

TEST_CASE("a file system that is full: the last checkpoint stays, and there is room for another") {
  for (const std::uint32_t nodes : {1u, 3u}) {
    const temporary_folder folder;
    const int code = in_forked_child([&]() -> std::string {
      if (::unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          mount("tmpfs", folder.path.c_str(), "tmpfs", 0, "size=200k") != 0)
        _exit(not_possible_here);
      return wrong_in_job(nodes, [&] {
        return fails_once((folder.path / "run.ckpt").string(), "No space left on device", "free space there");
      });
    });
    if (code == not_possible_here) MESSAGE("no file system can be mounted here");
    else CHECK(code == 0);
  }
}

TEST_CASE("a limit on the size of files: the last checkpoint stays, and the limit is named") {
  for (const std::uint32_t nodes : {1u, 3u}) {
    const temporary_folder folder;
    CHECK(in_forked_child([&] {
            signal(SIGXFSZ, SIG_IGN);
            const rlimit most{100'000, RLIM_INFINITY};
            setrlimit(RLIMIT_FSIZE, &most);
            return wrong_in_job(
                nodes, [&] { return fails_once((folder.path / "run.ckpt").string(), "File too large", "ulimit -f"); });
          }) == 0);
  }
}

/// From now on this process cannot exchange names, as on file systems that can only rename.
void refuse_to_exchange() {
  constexpr auto in = [](std::size_t at) { return static_cast<std::uint32_t>(at); };
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, in(offsetof(seccomp_data, nr))),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, in(offsetof(seccomp_data, args) + 4 * sizeof(std::uint64_t))),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RENAME_EXCHANGE, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog all{static_cast<unsigned short>(std::size(rules)), rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) != 0)
    _exit(not_possible_here);
}

TEST_CASE("where names cannot be exchanged a checkpoint replaces the last one all the same") {
  for (const std::uint32_t nodes : {1u, 3u}) {
    const temporary_folder folder;
    const std::string directory = (folder.path / "run.ckpt").string();
    const int code = in_forked_child([&]() -> std::string {
      refuse_to_exchange();
      const std::string one = (folder.path / "one").string(), two = (folder.path / "two").string();
      std::filesystem::create_directory(one), std::filesystem::create_directory(two);
      if (renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, two.c_str(), RENAME_EXCHANGE) == 0)
        return "names can be exchanged";
      return wrong_in_job(nodes, [&]() -> std::string {
        for (int step = 1; step < 6; ++step) {
          save_checkpoint(directory, {keep("step", step)}).get();
          if (open_checkpoint(directory).value<int>("step") != step)
            return "step " + std::to_string(step) + " is not there";
          for (const char* ending : {".previous", ".partial"})
            if (std::filesystem::exists(directory + ending)) return std::string("something is left: ") + ending;
        }
        return "";
      });
    });
    if (code == not_possible_here) MESSAGE("system calls cannot be filtered here");
    else CHECK(code == 0);
  }
}

}  // namespace
}  // namespace stretto
