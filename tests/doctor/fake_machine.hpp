// fake_machine.hpp - machines that are not here.
#pragma once

#include "doctor/expected_speed.hpp"
#include "doctor/findings.hpp"

inline stretto::doctor::findings good_machine() {
  stretto::doctor::findings f;
  f.system = "Debian GNU/Linux 12 (bookworm)";
  f.processor = "A Made-up Processor";
  f.packages = stretto::doctor::packager::apt;
  f.max_suspended = 60000;
  f.stack_size = 256 << 10;
  f.pieces = {true, true, true, true, true, true, true, 2};
  f.limits.online_cpus = f.limits.allowed_cpus = 8;
  f.limits.memory = std::uint64_t{32} << 30;
  f.limits.stack = 8 << 20;
  f.limits.shared_memory = std::uint64_t{16} << 30;
  f.limits.mappings = 1048576;
  f.limits.overcommit = 0;
  f.limits.perf_paranoia = 1;
  f.limits.membarrier = true;
  f.limits.huge_pages = "madvise";
  f.limits.governor = "performance";
  f.devices = {{"opencl", "Some Card", true, std::uint64_t{8} << 30, 60, true, "", ""}};
  f.mpis = {{.name = "openmpi",
             .launcher = "/usr/bin/mpirun",
             .library = "/opt/lib/stretto/stretto_mpi_openmpi.so",
             .version = "Open MPI v4.1.4",
             .trial = stretto::doctor::trial::passed},
            {.name = "mpich",
             .launcher = "/usr/bin/mpirun.mpich",
             .library = "/opt/lib/stretto/stretto_mpi_mpich.so",
             .version = "MPICH Version: 4.0.2",
             .trial = stretto::doctor::trial::passed}};
  f.yardsticks = {.cycle = 0.3e-9, .locked = 6e-9, .transfer = 70e-9, .memcpy = 8e9};
  const auto time = [&](const auto& work) { return stretto::doctor::expected_time(work, f.yardsticks)->value; };
  f.speeds = {time(stretto::doctor::hand_off_work), time(stretto::doctor::spawn_and_wait_work),
              time(stretto::doctor::trigger_work), f.yardsticks.memcpy};
  return f;
}

inline stretto::doctor::findings poor_machine() {
  auto f = good_machine();
  f.pieces = {.perf = false};
  f.mpis[0] = {.name = "openmpi", .looked_in = "/opt/lib/stretto"};
  f.mpis[1].trial = stretto::doctor::trial::failed;
  f.mpis[1].trial_fault = "a process ended by signal 7 (Bus error)";
  f.limits = {.online_cpus = 8,
              .allowed_cpus = 8,
              .granted_cpus = 0.5,
              .granted_memory = std::uint64_t{1} << 30,
              .memory = std::uint64_t{32} << 30,
              .memlock = 64 << 10,
              .stack = 256 << 10,
              .processes = 20,
              .shared_memory = 64 << 20,
              .mappings = 65530,
              .overcommit = 2,
              .perf_paranoia = 3,
              .membarrier = false,
              .huge_pages = "never",
              .governor = "powersave"};
  f.devices = {{"opencl", "Some Card", false, 0, 0, true, "the driver says that it is not available", "clinfo"}};
  f.speeds = {9 * *f.speeds.hand_off, 9 * *f.speeds.spawn_and_wait, 9 * *f.speeds.trigger, *f.speeds.copy / 9};
  return f;
}
