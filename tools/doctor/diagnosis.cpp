#include "doctor/diagnosis.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "doctor/expected_speed.hpp"

namespace stretto::doctor {
namespace {

/// One package under the names of the families; empty where it has another way there.
struct package {
  std::string_view debian, fedora, arch, suse;
};
constexpr std::array packages{
    package{"graphviz", "graphviz", "graphviz", "graphviz"},
    package{"linux-perf", "perf", "perf", "perf"},
    package{"gdb", "gdb", "gdb", "gdb"},
    package{"openmpi-bin libopenmpi-dev", "openmpi openmpi-devel", "openmpi", "openmpi4 openmpi4-devel"},
    package{"mpich libmpich-dev", "mpich mpich-devel", "mpich", "mpich mpich-devel"},
    package{"pocl-opencl-icd ocl-icd-opencl-dev", "pocl ocl-icd-devel", "pocl ocl-icd", "pocl ocl-icd-devel"},
    package{"chromium", "chromium", "chromium", "chromium"},
    package{"hwloc-nox", "hwloc", "hwloc", "hwloc"},
};

std::string bytes(std::uint64_t n) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  double value = static_cast<double>(n);
  while (value >= 1024 && unit + 1 < units.size()) value /= 1024, ++unit;
  return value < 10 && unit ? fmt::format("{:.1f} {}", value, units[unit])
                            : fmt::format("{:.0f} {}", value, units[unit]);
}

std::string seconds(double s) {
  if (s < 1e-6) return fmt::format("{:.0f} ns", s * 1e9);
  if (s < 1e-3) return fmt::format("{:.1f} us", s * 1e6);
  return fmt::format("{:.1f} ms", s * 1e3);
}

class judgement {
 public:
  explicit judgement(const findings& seen) : seen_(seen) {}

  std::vector<verdict> pass() {
    pieces();
    devices();
    mpis();
    processors();
    memory();
    kernel();
    speeds();
    return std::move(verdicts_);
  }

 private:
  void add(std::string topic, grade g, std::string says, std::string means = {}, std::string remedy = {}) {
    verdicts_.push_back({group_, std::move(topic), g, std::move(says), std::move(means), std::move(remedy)});
  }
  void fine(std::string topic, std::string says) { add(std::move(topic), grade::fine, std::move(says)); }
  void piece(std::string topic, bool is_here, std::string adds, const std::string& debian) {
    if (is_here) return fine(std::move(topic), "here");
    add(std::move(topic), grade::absent, "not here", std::move(adds),
        install_command(debian, seen_.packages, seen_.is_root));
  }
  std::string as_root(std::string_view command) const {
    return fmt::format("{}{}", seen_.is_root ? "" : "sudo ", command);
  }

  void pieces() {
    group_ = "pieces";
    const auto& p = seen_.pieces;
    piece("hwloc", p.hwloc, "its programs draw this machine and make up others for tests (lstopo)", "hwloc-nox");
    piece("Graphviz", p.graphviz, "draws the graph of places: stretto platform --svg FILE", "graphviz");
    piece("perf", p.perf, "counts instructions and cache misses of your program", "linux-perf");
    piece("gdb", p.gdb, "lists suspended tasks and their stacks: `stretto tasks`", "gdb");
    piece("MPI", p.mpi, "benchmarks beside MPI: ./stretto bench", "openmpi-bin libopenmpi-dev");
    if (p.opencl_platforms)
      fine("OpenCL", fmt::format("{} driver{}", p.opencl_platforms, p.opencl_platforms == 1 ? "" : "s"));
    else
      piece("OpenCL", false, "devices that run kernels, be it the processor: STRETTO_DEVICES=opencl",
            "pocl-opencl-icd ocl-icd-opencl-dev");
    if (p.cuda_driver) fine("CUDA driver", "here");
    else
      add("CUDA driver", grade::absent, "not here",
          "kernels on NVIDIA devices, where there is one: STRETTO_DEVICES=cuda");
    piece("Chromium", p.chromium, "makes pictures of pages that a program wrote, without a screen", "chromium");
  }

  void devices() {
    group_ = "devices";
    for (const device_found& d : seen_.devices) {
      if (d.is_usable)
        fine(d.kind, fmt::format("{}: {}, {} unit{}{}", d.name, bytes(d.memory), d.units, d.units == 1 ? "" : "s",
                                 d.has_double ? "" : ", no double precision"));
      else
        add(d.kind, grade::absent, fmt::format("{} cannot be used: {}", d.name, d.reason),
            "kernels run on the processor's cores without it", d.remedy);
    }
  }

  void mpis() {
    group_ = "mpi";
    for (const mpi_found& m : seen_.mpis) {
      const std::string adds = "jobs of several nodes: stretto run --mpi " + m.name;
      const auto install = install_command(m.name == "openmpi" ? "openmpi-bin libopenmpi-dev" : "mpich libmpich-dev",
                                           seen_.packages, seen_.is_root);
      if (m.library.empty() && m.launcher.empty()) {
        add(m.name, grade::absent, "not here", adds, install + ", and build Stretto anew");
      } else if (m.library.empty()) {
        add(m.name, grade::absent,
            fmt::format("its launcher is here; there is no stretto_mpi_{}.so in {}", m.name, m.looked_in), adds,
            install + ", and build Stretto anew");
      } else if (!m.fault.empty()) {
        add(m.name, grade::broken, "Stretto's library for it cannot be loaded: " + m.fault,
            "jobs of several nodes end with error N08", install);
      } else if (m.launcher.empty()) {
        add(m.name, grade::absent, fmt::format("{}, without its launcher, mpirun.{} or mpirun", m.version, m.name),
            adds, install);
      } else if (m.trial == trial::failed) {
        add(m.name, grade::broken,
            fmt::format("{}: two processes could not exchange a message: {}", m.version, m.trial_fault),
            "jobs of several nodes will fail alike",
            fmt::format("stretto run -n 2 --mpi {} --verbose stretto doctor --exchange", m.name));
      } else {
        fine(m.name, m.version + (m.trial == trial::passed ? ", two processes exchange messages" : ", not tried") +
                         (m.shares_memory ? ", large ones through memory that they share" : ""));
      }
    }
  }

  void processors() {
    group_ = "limits";
    const auto& l = seen_.limits;
    const auto allowed = fmt::format("{} of {}", l.allowed_cpus, l.online_cpus);
    if (l.granted_cpus && *l.granted_cpus < l.allowed_cpus)
      add("cores", grade::limited, fmt::format("{:.3g} of time on {}", *l.granted_cpus, allowed),
          "the container's quota stops all workers for a while when it is used up; Stretto starts no more workers "
          "than it pays for",
          "start the container with a greater --cpus, or with --cpuset-cpus, which stops nobody");
    else if (l.allowed_cpus < l.online_cpus)
      add("cores", grade::limited, allowed, "the rest is not for this process (taskset, a cpuset)", "taskset -cp $$");
    else fine("cores", allowed);
    if (l.governor.empty() || l.governor == "performance" || l.governor == "schedutil")
      fine("frequency", l.governor.empty() ? "not told here" : l.governor);
    else
      add("frequency", grade::limited, l.governor, "cores wake slowly, so times vary and hand-offs take longer",
          as_root("cpupower frequency-set -g performance"));
  }

  void memory() {
    const auto& l = seen_.limits;
    if (l.granted_memory && (!l.memory || *l.granted_memory < *l.memory))
      add("memory", grade::limited,
          l.memory ? fmt::format("{} of {}", bytes(*l.granted_memory), bytes(*l.memory)) : bytes(*l.granted_memory),
          "a process of this container that takes more is killed", "start the container with a greater --memory");
    else fine("memory", l.memory ? bytes(*l.memory) : "not told here");
    if (l.memlock && *l.memlock < (std::uint64_t{64} << 20))
      add("memlock", grade::limited, bytes(*l.memlock), "buffers for devices and networks cannot be pinned beyond that",
          "ulimit -l unlimited  (its hard limit: /etc/security/limits.conf)");
    else fine("memlock", l.memlock ? bytes(*l.memlock) : "unlimited");
    if (l.stack && *l.stack < (std::uint64_t{1} << 20))
      add("stack", grade::limited, bytes(*l.stack), "the body of run is on the stack of its thread, and may overflow",
          "ulimit -s 8192");
    else fine("stack", l.stack ? bytes(*l.stack) : "unlimited");
    if (!l.shared_memory) fine("shared memory", "not told here");
    else if (*l.shared_memory < (std::uint64_t{256} << 20))
      add("shared memory", *l.shared_memory ? grade::limited : grade::broken,
          *l.shared_memory ? bytes(*l.shared_memory) : "none",
          "processes of one machine exchange data through /dev/shm; too little ends MPI and browsers with SIGBUS",
          as_root("mount -o remount,size=2g /dev/shm  (of a container: --shm-size=2g)"));
    else fine("shared memory", bytes(*l.shared_memory));
    if (l.processes && *l.processes < 4 * std::uint64_t{l.online_cpus} + 64)
      add("threads", grade::limited, fmt::format("{}", *l.processes), "workers may find no thread (error S10)",
          "ulimit -u 4096");
    else fine("threads", l.processes ? fmt::format("{}", *l.processes) : "unlimited");
  }

  void kernel() {
    const auto& l = seen_.limits;
    const auto needed = 2 * seen_.max_suspended + 1000;  // a stack and its guard each, and what else a program maps
    if (l.mappings && *l.mappings < needed)
      add("mappings", grade::limited, fmt::format("{}", *l.mappings),
          fmt::format("{} suspended tasks need {}: beyond the limit they fail (error S11)", seen_.max_suspended,
                      needed),
          as_root(fmt::format("sysctl vm.max_map_count={}", 2 * needed)));
    else fine("mappings", l.mappings ? fmt::format("{}", *l.mappings) : "not told here");
    if (l.overcommit == 2)
      add("overcommit", grade::limited, "2, strict",
          fmt::format("each stack of {} counts in full, though little of it is touched", bytes(seen_.stack_size)),
          as_root("sysctl vm.overcommit_memory=0"));
    else fine("overcommit", l.overcommit ? fmt::format("{}", *l.overcommit) : "not told here");
    if (l.membarrier) fine("membarrier", "here");
    else
      add("membarrier", grade::limited, "not here", "each spawn pays for a full barrier, about 7 ns",
          "a kernel from 4.14 on, whose seccomp profile lets membarrier pass");
    if (l.huge_pages == "never")
      add("huge pages", grade::limited, "never", "scattered access to large memories misses the TLB",
          as_root("sh -c 'echo madvise > /sys/kernel/mm/transparent_hugepage/enabled'"));
    else fine("huge pages", l.huge_pages.empty() ? "not told here" : l.huge_pages);
    if (seen_.pieces.perf && l.perf_paranoia && *l.perf_paranoia > 2 && !seen_.is_root)
      add("perf events", grade::limited, fmt::format("paranoid {}", *l.perf_paranoia), "perf counts nothing for you",
          "sudo sysctl kernel.perf_event_paranoid=1");
  }

  /// `ratio` above 1 is better than expected.
  void speed(const char* topic, const std::string& says, double ratio, const std::string& because) {
    const auto figure = fmt::format("{}, {:.2f} of what is expected", says, ratio);
    if (ratio >= 0.33) return add(topic, grade::fine, figure, because);
    add(topic, grade::limited, figure,
        because + ": something else took the time, other programs or a sanitized library",
        "uptime  (then again, once the load is gone)");
  }
  void time(const char* topic, const std::optional<double>& taken, const counted_work& work) {
    if (!taken) return fine(topic, "not measured here");
    const auto expected = expected_time(work, seen_.yardsticks);
    if (!expected) return fine(topic, seconds(*taken) + ", nothing to compare it with was measured");
    speed(topic, seconds(*taken), expected->value / *taken, expected->because);
  }
  void copy(const std::optional<double>& bytes_per_second) {
    if (!bytes_per_second) return fine("copy", "not measured here");
    const auto says = fmt::format("{:.1f} GB/s", *bytes_per_second * 1e-9);
    const auto expected = expected_copy(seen_.yardsticks);
    if (!expected) return fine("copy", says + ", nothing to compare it with was measured");
    speed("copy", says, *bytes_per_second / expected->value, expected->because);
  }
  void speeds() {
    group_ = "speed";
    time("hand-off", seen_.speeds.hand_off, hand_off_work);
    time("spawn and wait", seen_.speeds.spawn_and_wait, spawn_and_wait_work);
    time("event trigger", seen_.speeds.trigger, trigger_work);
    copy(seen_.speeds.copy);
  }

  const findings& seen_;
  std::vector<verdict> verdicts_;
  std::string group_;
};

}  // namespace

std::string install_command(const std::string& debian_package, packager which, bool is_root) {
  for (const package& p : packages) {
    if (p.debian != debian_package) continue;
    const char* const sudo = is_root ? "" : "sudo ";
    switch (which) {
      case packager::apt: return fmt::format("{}apt-get install {}", sudo, p.debian);
      case packager::dnf: return fmt::format("{}dnf install {}", sudo, p.fedora);
      case packager::pacman: return fmt::format("{}pacman -S {}", sudo, p.arch);
      case packager::zypper: return fmt::format("{}zypper install {}", sudo, p.suse);
      case packager::none: return fmt::format("install what Debian calls {}", p.debian);
    }
  }
  return {};
}

std::vector<verdict> make_verdicts(const findings& seen) { return judgement(seen).pass(); }

}  // namespace stretto::doctor
