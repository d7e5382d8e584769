// The text that `stretto doctor` prints for machines that are not here, word for word.
#include "doctor/report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "fake_machine.hpp"

using namespace stretto::doctor;

TEST_CASE("the report of a poor machine tells what each fault costs and what mends it") {
  const auto seen = poor_machine();
  CHECK(to_text(seen, make_verdicts(seen)) ==
        R"(Debian GNU/Linux 12 (bookworm)
A Made-up Processor

What is here
  -- hwloc           not here
                     adds: its programs draw this machine and make up others for tests (lstopo)
                     try: sudo apt-get install hwloc-nox
  -- Graphviz        not here
                     adds: draws the graph of places: stretto platform --svg FILE
                     try: sudo apt-get install graphviz
  -- perf            not here
                     adds: counts instructions and cache misses of your program
                     try: sudo apt-get install linux-perf
  -- gdb             not here
                     adds: lists suspended tasks and their stacks: `stretto tasks`
                     try: sudo apt-get install gdb
  -- MPI             not here
                     adds: benchmarks beside MPI: ./stretto bench
                     try: sudo apt-get install openmpi-bin libopenmpi-dev
  -- OpenCL          not here
                     adds: devices that run kernels, be it the processor: STRETTO_DEVICES=opencl
                     try: sudo apt-get install pocl-opencl-icd ocl-icd-opencl-dev
  -- CUDA driver     not here
                     adds: kernels on NVIDIA devices, where there is one: STRETTO_DEVICES=cuda
  -- Chromium        not here
                     adds: makes pictures of pages that a program wrote, without a screen
                     try: sudo apt-get install chromium

Devices for kernels
  -- opencl          Some Card cannot be used: the driver says that it is not available
                     adds: kernels run on the processor's cores without it
                     try: clinfo

MPI, for several nodes
  -- openmpi         not here
                     adds: jobs of several nodes: stretto run --mpi openmpi
                     try: sudo apt-get install openmpi-bin libopenmpi-dev, and build Stretto anew
  !! mpich           MPICH Version: 4.0.2: two processes could not exchange a message: a process ended by signal 7 (Bus error)
                     jobs of several nodes will fail alike
                     try: stretto run -n 2 --mpi mpich --verbose stretto doctor --exchange

Limits
  !  cores           0.5 of time on 8 of 8
                     the container's quota stops all workers for a while when it is used up; Stretto starts no more workers than it pays for
                     try: start the container with a greater --cpus, or with --cpuset-cpus, which stops nobody
  !  frequency       powersave
                     cores wake slowly, so times vary and hand-offs take longer
                     try: sudo cpupower frequency-set -g performance
  !  memory          1.0 GiB of 32 GiB
                     a process of this container that takes more is killed
                     try: start the container with a greater --memory
  !  memlock         64 KiB
                     buffers for devices and networks cannot be pinned beyond that
                     try: ulimit -l unlimited  (its hard limit: /etc/security/limits.conf)
  !  stack           256 KiB
                     the body of run is on the stack of its thread, and may overflow
                     try: ulimit -s 8192
  !  shared memory   64 MiB
                     processes of one machine exchange data through /dev/shm; too little ends MPI and browsers with SIGBUS
                     try: sudo mount -o remount,size=2g /dev/shm  (of a container: --shm-size=2g)
  !  threads         20
                     workers may find no thread (error S10)
                     try: ulimit -u 4096
  !  mappings        65530
                     60000 suspended tasks need 121000: beyond the limit they fail (error S11)
                     try: sudo sysctl vm.max_map_count=242000
  !  overcommit      2, strict
                     each stack of 256 KiB counts in full, though little of it is touched
                     try: sudo sysctl vm.overcommit_memory=0
  !  membarrier      not here
                     each spawn pays for a full barrier, about 7 ns
                     try: a kernel from 4.14 on, whose seccomp profile lets membarrier pass
  !  huge pages      never
                     scattered access to large memories misses the TLB
                     try: sudo sh -c 'echo madvise > /sys/kernel/mm/transparent_hugepage/enabled'

Speed
  !  hand-off        2.2 us, 0.11 of what is expected
                     expected: 236 instructions at 3 per cycle of 0.30 ns, 1 locked operation of 6.0 ns, 3 transfers between cores of 70 ns: something else took the time, other programs or a sanitized library
                     try: uptime  (then again, once the load is gone)
  !  spawn and wait  266 ns, 0.11 of what is expected
                     expected: 236 instructions at 3 per cycle of 0.30 ns, 1 locked operation of 6.0 ns: something else took the time, other programs or a sanitized library
                     try: uptime  (then again, once the load is gone)
  !  event trigger   169 ns, 0.11 of what is expected
                     expected: 128 instructions at 3 per cycle of 0.30 ns, 1 locked operation of 6.0 ns: something else took the time, other programs or a sanitized library
                     try: uptime  (then again, once the load is gone)
  !  copy            0.9 GB/s, 0.11 of what is expected
                     expected: memcpy moves 8.0 GB/s here: something else took the time, other programs or a sanitized library
                     try: uptime  (then again, once the load is gone)

0 fine, 10 not here, 15 limited, 1 broken
)");
}

TEST_CASE("the report of a machine where little can be found out says so") {
  findings seen;
  seen.limits.online_cpus = seen.limits.allowed_cpus = 1;
  seen.limits.membarrier = true;
  const auto text = to_text(seen, make_verdicts(seen));
  CHECK(text.starts_with("an unknown system\nan unknown processor\n\nWhat is here\n"));
  CHECK(text.find("  ok cores           1 of 1\n") != text.npos);
  CHECK(text.find("  ok hand-off        not measured here\n") != text.npos);
  CHECK(text.find("try: install what Debian calls graphviz\n") != text.npos);
}

TEST_CASE("as JSON, every verdict is a row, and figures are in seconds and bytes per second or null") {
  auto seen = good_machine();
  seen.speeds.hand_off = {};
  const auto verdicts = make_verdicts(seen);
  const auto all = nlohmann::json::parse(to_json(seen, verdicts));
  CHECK(all["system"] == "Debian GNU/Linux 12 (bookworm)");
  CHECK(all["verdicts"].size() == verdicts.size());
  CHECK(all["verdicts"][0] ==
        nlohmann::json{
            {"group", "pieces"}, {"topic", "hwloc"}, {"grade", "fine"}, {"says", "here"}, {"means", ""}, {"try", ""}});
  CHECK(all["mpi"][0] == nlohmann::json{{"name", "openmpi"},
                                        {"launcher", "/usr/bin/mpirun"},
                                        {"library", "/opt/lib/stretto/stretto_mpi_openmpi.so"},
                                        {"version", "Open MPI v4.1.4"},
                                        {"fault", ""},
                                        {"trial", "passed"},
                                        {"trial_fault", ""},
                                        {"shares_memory", false}});
  CHECK(all["measured"]["hand_off_seconds"].is_null());
  CHECK(all["measured"]["copy_bytes_per_second"] == 8e9);
  CHECK(all["measured"]["transfer_between_cores_seconds"] == 70e-9);
}
