#include "doctor/diagnosis.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "doctor/expected_speed.hpp"
#include "doctor/report.hpp"
#include "fake_machine.hpp"

using namespace stretto::doctor;

namespace {

verdict about(const findings& seen, const std::string& topic) {
  const auto all = make_verdicts(seen);
  const auto found = std::ranges::find(all, topic, &verdict::topic);
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("a machine with everything gets only fine verdicts") {
  for (const verdict& v : make_verdicts(good_machine())) {
    CAPTURE(v.topic);
    CHECK(v.grade == grade::fine);
    CHECK(v.means.empty() == (v.group != "speed"));  // of a speed it says where the expectation comes from
    CHECK(v.remedy.empty());
  }
}

TEST_CASE("every verdict that is not fine says what it costs, and every limit what to do") {
  for (const verdict& v : make_verdicts(poor_machine())) {
    CAPTURE(v.topic);
    CHECK(v.grade != grade::fine);
    CHECK(!v.means.empty());
    if (v.group != "pieces" || v.topic != "CUDA driver") CHECK(!v.remedy.empty());
  }
}

TEST_CASE("a missing piece is installed by the system's own command, with sudo only where that is needed") {
  CHECK(install_command("graphviz", packager::apt, false) == "sudo apt-get install graphviz");
  CHECK(install_command("graphviz", packager::apt, true) == "apt-get install graphviz");
  CHECK(install_command("linux-perf", packager::dnf, true) == "dnf install perf");
  CHECK(install_command("linux-perf", packager::none, false) == "install what Debian calls linux-perf");
  CHECK(install_command("no such thing", packager::apt, false).empty());
  auto seen = good_machine();
  seen.pieces.gdb = false;
  CHECK(about(seen, "gdb").remedy == "sudo apt-get install gdb");
}

TEST_CASE("devices are told with what they have, or why not") {
  auto seen = good_machine();
  CHECK(about(seen, "opencl").says == "Some Card: 8.0 GiB, 60 units");
  seen.devices[0].has_double = false;
  seen.devices[0].units = 1;
  CHECK(about(seen, "opencl").says == "Some Card: 8.0 GiB, 1 unit, no double precision");
}

TEST_CASE("of an MPI it is told what is missing, and what brings it") {
  auto seen = good_machine();
  CHECK(about(seen, "openmpi").says == "Open MPI v4.1.4, two processes exchange messages");
  auto& m = seen.mpis[0];
  m.shares_memory = true;
  CHECK(about(seen, "openmpi").says ==
        "Open MPI v4.1.4, two processes exchange messages, large ones through memory that they share");
  m.shares_memory = false;
  m.trial = trial::not_made;
  CHECK(about(seen, "openmpi").says == "Open MPI v4.1.4, not tried");
  m.launcher.clear();
  CHECK(about(seen, "openmpi").grade == grade::absent);
  CHECK(about(seen, "openmpi").says == "Open MPI v4.1.4, without its launcher, mpirun.openmpi or mpirun");
  CHECK(about(seen, "openmpi").remedy == "sudo apt-get install openmpi-bin libopenmpi-dev");
  m.fault = "libmpi.so.40: cannot open shared object file";
  CHECK(about(seen, "openmpi").grade == grade::broken);
  CHECK(about(seen, "openmpi").says ==
        "Stretto's library for it cannot be loaded: libmpi.so.40: cannot open shared object file");
  m = {.name = "openmpi", .launcher = "/usr/bin/mpirun", .looked_in = "/opt/lib/stretto, /opt/build/mpi"};
  CHECK(about(seen, "openmpi").says ==
        "its launcher is here; there is no stretto_mpi_openmpi.so in /opt/lib/stretto, /opt/build/mpi");
  CHECK(about(seen, "openmpi").remedy == "sudo apt-get install openmpi-bin libopenmpi-dev, and build Stretto anew");
}

TEST_CASE("a container's quota counts only below the cores that the process may use") {
  auto seen = good_machine();
  seen.limits.granted_cpus = 8.0;
  CHECK(about(seen, "cores").grade == grade::fine);
  seen.limits.granted_cpus = 1.5;
  CHECK(about(seen, "cores").says == "1.5 of time on 8 of 8");
  seen.limits.granted_cpus = {};
  seen.limits.allowed_cpus = 2;
  CHECK(about(seen, "cores").says == "2 of 8");
}

TEST_CASE("mappings are enough if every task that may be suspended finds two") {
  auto seen = good_machine();
  seen.max_suspended = 1000;
  seen.limits.mappings = 3000;
  CHECK(about(seen, "mappings").grade == grade::fine);
  seen.limits.mappings = 2999;
  CHECK(about(seen, "mappings").grade == grade::limited);
  CHECK(about(seen, "mappings").remedy == "sudo sysctl vm.max_map_count=6000");
}

TEST_CASE("no shared memory is a fault, little a limit, and what is not known neither") {
  auto seen = good_machine();
  seen.limits.shared_memory = 0;
  CHECK(about(seen, "shared memory").grade == grade::broken);
  seen.limits.shared_memory = std::uint64_t{64} << 20;
  CHECK(about(seen, "shared memory").grade == grade::limited);
  CHECK(about(seen, "shared memory").says == "64 MiB");
  seen.limits.shared_memory = {};
  CHECK(about(seen, "shared memory").grade == grade::fine);
}

TEST_CASE("an expected time is its instructions, locked operations and transfers at their measured costs") {
  const yardsticks_found here{.cycle = 0.5e-9, .locked = 10e-9, .transfer = 100e-9, .memcpy = {}};
  const counted_work work{300, 2, 3};
  const auto expected = expected_time(work, here);
  REQUIRE(expected);
  CHECK(expected->value == doctest::Approx(300 / 3 * 0.5e-9 + 2 * 10e-9 + 3 * 100e-9));
  CHECK(
      expected->because ==
      "300 instructions at 3 per cycle of 0.50 ns, 2 locked operations of 10 ns, 3 transfers between cores of 100 ns");
  CHECK(expected_time({128, 1, 0}, here)->because ==
        "128 instructions at 3 per cycle of 0.50 ns, 1 locked operation of 10 ns");
}

TEST_CASE("a machine that is half as fast in everything gets the same verdicts") {
  auto seen = good_machine();
  const auto ratio = [](const verdict& v) { return v.says.substr(v.says.find(", ")); };
  const auto before = make_verdicts(seen);
  for (auto* time : {&seen.speeds.hand_off, &seen.speeds.spawn_and_wait, &seen.speeds.trigger, &seen.yardsticks.cycle,
                     &seen.yardsticks.locked, &seen.yardsticks.transfer})
    **time *= 2;
  *seen.speeds.copy /= 2;
  *seen.yardsticks.memcpy /= 2;
  const auto after = make_verdicts(seen);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i].group == "speed") {
      CAPTURE(before[i].topic);
      CHECK(after[i].grade == grade::fine);
      CHECK(ratio(after[i]) == ratio(before[i]));
      CHECK(after[i].says != before[i].says);
    }
}

TEST_CASE("speeds are told as shares of what is expected: more is better, of times and of rates") {
  auto seen = good_machine();
  *seen.speeds.spawn_and_wait /= 2;
  CHECK(about(seen, "spawn and wait").says == "15 ns, 2.00 of what is expected");
  *seen.speeds.copy /= 2;
  CHECK(about(seen, "copy").says == "4.0 GB/s, 0.50 of what is expected");
  CHECK(about(seen, "copy").means == "memcpy moves 8.0 GB/s here");
  CHECK(about(seen, "copy").grade == grade::fine);
  *seen.speeds.hand_off *= 4;
  CHECK(about(seen, "hand-off").grade == grade::limited);
  CHECK(
      about(seen, "hand-off").means.ends_with(": something else took the time, other programs or a sanitized library"));
  seen.speeds.hand_off = {};
  CHECK(about(seen, "hand-off").grade == grade::fine);
}

TEST_CASE("a speed without the yardsticks that it needs is told, and not judged") {
  auto seen = good_machine();
  *seen.speeds.hand_off *= 100;
  *seen.speeds.copy /= 100;
  seen.yardsticks.transfer = {};
  seen.yardsticks.memcpy = {};
  for (const std::string topic : {"hand-off", "copy"}) {
    CAPTURE(topic);
    CHECK(about(seen, topic).grade == grade::fine);
    CHECK(about(seen, topic).says.ends_with(", nothing to compare it with was measured"));
  }
  CHECK(about(seen, "event trigger").says.ends_with("of what is expected"));
}
