// Command lines of launchers, on machines that are not here.
#include "job/launch_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stretto/error.hpp>

#include "thrown_by.hpp"

namespace stretto::job {
namespace {

host_environment machine(unsigned cores) {
  return {.host = "alpha",
          .cores = cores,
          .mpis = {{"openmpi", "/usr/bin/mpirun.openmpi", "/opt/lib/stretto/stretto_mpi_openmpi.so"},
                   {"mpich", "/usr/bin/mpirun.mpich", "/opt/lib/stretto/stretto_mpi_mpich.so"}}};
}
std::string line_of(const launch_options& wanted, const host_environment& here) {
  return to_line(plan_of(wanted, here), {"./program"});
}

}  // namespace

TEST_CASE("on one host Open MPI needs no ssh, and a node as many workers as it has cores") {
  CHECK(line_of({.nodes = 2}, machine(8)) ==
        "OMPI_MCA_plm=isolated STRETTO_SHARED_CORES=1 STRETTO_WORKERS=4 /usr/bin/mpirun.openmpi -q -n 2 --bind-to none "
        "./program");
  CHECK(line_of({.nodes = 2, .mpi = "mpich"}, machine(8)) ==
        "STRETTO_SHARED_CORES=1 STRETTO_WORKERS=4 /usr/bin/mpirun.mpich -n 2 ./program");
}

TEST_CASE("one node gets as many workers as it would have alone") {
  CHECK(line_of({.nodes = 1, .mpi = "mpich"}, machine(8)) == "/usr/bin/mpirun.mpich -n 1 ./program");
}

TEST_CASE("more nodes than cores are allowed, with a worker each, and bound to nothing") {
  for (const binding bind : {binding::none, binding::cores})
    CHECK(line_of({.nodes = 5, .bind = bind}, machine(4)) ==
          "OMPI_MCA_plm=isolated STRETTO_SHARED_CORES=1 STRETTO_WORKERS=1 /usr/bin/mpirun.openmpi -q -n 5 "
          "--oversubscribe --bind-to none "
          "./program");
  CHECK(line_of({.nodes = 5, .mpi = "mpich", .bind = binding::cores}, machine(4)) ==
        "STRETTO_SHARED_CORES=1 STRETTO_WORKERS=1 /usr/bin/mpirun.mpich -n 5 ./program");
}

TEST_CASE("nodes that are bound share the cores of their host") {
  CHECK(line_of({.nodes = 4, .bind = binding::cores}, machine(16)).find("--map-by slot:PE=4 --bind-to core ") !=
        std::string::npos);
  CHECK(line_of({.nodes = 4, .bind = binding::cores}, machine(4)).find("--map-by core --bind-to core ") !=
        std::string::npos);
  CHECK(line_of({.nodes = 4, .bind = binding::numa}, machine(16)).find("--bind-to numa ") != std::string::npos);
  CHECK(line_of({.nodes = 4, .mpi = "mpich", .bind = binding::cores}, machine(16)).find("-bind-to core:4 ") !=
        std::string::npos);
}

TEST_CASE("Open MPI is told that root may start nodes only where root does") {
  auto here = machine(8);
  CHECK(line_of({.nodes = 2}, here).find("--allow-run-as-root") == std::string::npos);
  here.is_root = true;
  CHECK(line_of({.nodes = 2}, here).find(" -q --allow-run-as-root -n 2 ") != std::string::npos);
}

TEST_CASE("workers that were said stay, from the environment or a flag") {
  auto here = machine(8);
  here.variables = {"STRETTO_WORKERS"};
  CHECK(line_of({.nodes = 2, .mpi = "mpich"}, here) == "/usr/bin/mpirun.mpich -n 2 ./program");
  CHECK(line_of({.nodes = 2, .mpi = "mpich", .variables = {{"STRETTO_WORKERS", "3"}}}, machine(8)) ==
        "STRETTO_WORKERS=3 /usr/bin/mpirun.mpich -n 2 ./program");
}

TEST_CASE("several hosts share the nodes, and Open MPI carries Stretto's variables to them") {
  auto here = machine(8);
  here.variables = {"STRETTO_TRACE"};
  const launch_options wanted{.nodes = 5, .hosts = {{"beta"}, {"gamma", 1}, {"delta"}}};
  CHECK(line_of(wanted, here) ==
        "STRETTO_SHARED_CORES=1 STRETTO_WORKERS=4 /usr/bin/mpirun.openmpi -q -n 5 --host beta:2,gamma:1,delta:2 "
        "--bind-to none "
        "-x STRETTO_SHARED_CORES -x STRETTO_TRACE -x STRETTO_WORKERS ./program");
  auto with_mpich = wanted;
  with_mpich.mpi = "mpich";
  CHECK(line_of(with_mpich, here) ==
        "STRETTO_SHARED_CORES=1 STRETTO_WORKERS=4 /usr/bin/mpirun.mpich -n 5 -hosts beta:2,gamma:1,delta:2 ./program");
}

TEST_CASE("hosts that all are this one are no others") {
  CHECK(line_of({.nodes = 2, .hosts = {{"localhost"}}, .mpi = "mpich"}, machine(8)) ==
        line_of({.nodes = 2, .mpi = "mpich"}, machine(8)));
  CHECK(line_of({.nodes = 2, .hosts = {{"alpha", 1}, {"127.0.0.1", 1}}}, machine(8)) ==
        line_of({.nodes = 2}, machine(8)));
}

TEST_CASE("inside a Slurm allocation Slurm starts the nodes, by an interface that an MPI that is here takes") {
  auto here = machine(8);
  here.srun = "srun";
  here.interfaces = {"MPI", "plugin", "types", "are...", "none", "pmi2", "pmix", "cray_shasta"};
  const auto choice = [&](const launch_options& wanted) {
    const auto line = line_of(wanted, here);
    const auto at = line.find("--mpi=");
    return at == line.npos ? "" : line.substr(at, line.find(' ', at) - at);
  };
  CHECK(choice({.nodes = 4}) == "--mpi=pmix");
  CHECK(choice({.nodes = 4, .mpi = "mpich"}) == "--mpi=pmi2");
  here.mpis[0].launcher.clear();  // which is not used
  CHECK(choice({.nodes = 4}) == "--mpi=pmix");
  here.mpis[0].library.clear();
  CHECK(choice({.nodes = 4}) == "--mpi=pmi2");
  std::erase(here.interfaces, "pmi2");
  CHECK(choice({.nodes = 4}) == "--mpi=cray_shasta");
  here.has_chosen_interface = true;
  CHECK(choice({.nodes = 4}) == "");
  CHECK(choice({.nodes = 4, .mpi = "mpich"}) == "--mpi=cray_shasta");
  here.interfaces.clear();
  here.has_chosen_interface = false;
  CHECK(choice({.nodes = 4}) == "");
}

TEST_CASE("inside a Slurm allocation more nodes than cores are allowed, too") {
  auto here = machine(8);
  here.srun = "srun";
  CHECK(line_of({.nodes = 17}, here).find("--overcommit") == std::string::npos);  // it was not told how many there are
  here.allocated_cores = 16;
  CHECK(line_of({.nodes = 16}, here).find("--overcommit") == std::string::npos);
  CHECK(line_of({.nodes = 17}, here).find(" -n 17 --kill-on-bad-exit=1 --overcommit ") != std::string::npos);
}

TEST_CASE("inside a Slurm allocation Slurm starts the nodes, also where there is no MPI that Stretto knows") {
  auto here = machine(8);
  here.mpis.clear();
  here.srun = "/usr/bin/srun";
  here.allocated_hosts = 2;
  CHECK(line_of({.nodes = 4}, here) ==
        "STRETTO_SHARED_CORES=1 STRETTO_WORKERS=4 /usr/bin/srun -n 4 --kill-on-bad-exit=1 --cpu-bind=none ./program");
  CHECK(line_of({.nodes = 3, .hosts = {{"a", 2}, {"b"}}, .mpi = "openmpi", .bind = binding::cores}, here) ==
        "STRETTO_SHARED_CORES=1 STRETTO_WORKERS=4 /usr/bin/srun -n 3 --kill-on-bad-exit=1 --mpi=pmix "
        "--distribution=arbitrary --nodelist=a,a,b "
        "--cpu-bind=cores ./program");
  CHECK(line_of({.nodes = 4, .mpi = "mpich", .bind = binding::numa}, here).find(" --mpi=pmi2 --cpu-bind=ldoms ") !=
        std::string::npos);
}

TEST_CASE("hosts are read as they are written, and what is wrong with them is said") {
  CHECK(read_hosts("a") == std::vector<host>{{"a"}});
  CHECK(read_hosts("a,b.example:12") == std::vector<host>{{"a"}, {"b.example", 12}});
  for (const char* wrong : {"", ",", "a,", ":2", "a:", "a:0", "a:x", "a:2x", "a:-1", "a:70000", "a,b,a:2"}) {
    CAPTURE(wrong);
    CHECK(test::error_of([&] { read_hosts(wrong); }).code() == "W56");
  }
}

TEST_CASE("hosts that do not have room for just the nodes are refused") {
  const auto code = [](std::uint32_t nodes, std::vector<host> hosts) {
    return std::string(
        test::error_of([&] { plan_of({.nodes = nodes, .hosts = std::move(hosts)}, machine(8)); }).code());
  };
  CHECK(code(3, {{"a", 2}}) == "W56");
  CHECK(code(1, {{"a", 2}}) == "W56");
  CHECK(code(1, {{"a"}, {"b"}}) == "W56");
  CHECK(code(2, {{"a", 2}, {"b"}}) == "W56");
  CHECK(code(3, {{"a", 2}, {"b"}}).empty());
}

TEST_CASE("equal shares are as equal as can be, and add up") {
  for (std::uint32_t nodes = 1; nodes <= 20; ++nodes)
    for (std::uint32_t hosts = 1; hosts <= nodes; ++hosts) {
      std::vector<host> all;
      for (std::uint32_t h = 0; h < hosts; ++h) all.push_back({"h" + std::to_string(h)});
      const auto p = plan_of({.nodes = nodes, .hosts = all}, machine(1));
      const auto words = std::find(p.command.begin(), p.command.end(), "--host");
      REQUIRE(words != p.command.end());
      std::uint32_t sum = 0, least = nodes, most = 0;
      for (const host& h : read_hosts(words[1])) {
        sum += h.nodes;
        least = std::min(least, h.nodes);
        most = std::max(most, h.nodes);
      }
      CHECK(sum == nodes);
      CHECK(most - least <= 1);
    }
}

TEST_CASE("of MPIs the first that can be used starts the nodes; without any the reason against each is told") {
  auto here = machine(8);
  here.mpis[0].library.clear();
  here.mpis[0].looked_in = "/opt/lib/stretto, /opt/build/mpi";
  CHECK(plan_of({.nodes = 2}, here).mpi == "mpich");
  here.mpis[1].launcher.clear();
  CHECK(test::thrown_by([&] { plan_of({.nodes = 2}, here); }) ==
        "error W54: no MPI can start nodes here\n"
        "  openmpi     there is no stretto_mpi_openmpi.so in /opt/lib/stretto, /opt/build/mpi\n"
        "  mpich       its launcher, mpirun.mpich or mpirun, is not in PATH\n"
        "  try         `stretto doctor` says how to repair it");
  CHECK(test::thrown_by([&] { plan_of({.nodes = 2, .mpi = "mpich"}, here); }) ==
        "error W54: mpich cannot start nodes here\n"
        "  mpich       its launcher, mpirun.mpich or mpirun, is not in PATH\n"
        "  try         `stretto doctor` says how to repair it");
}

TEST_CASE("a command line is one that a shell reads alike") {
  const plan p{.mpi = "", .variables = {{"STRETTO_DEVICES", "sim:2(shared_bus)"}}, .command = {"/opt/my mpi/mpirun"}};
  CHECK(to_line(p, {"./a", "it's", "", "x=1"}) ==
        R"(STRETTO_DEVICES='sim:2(shared_bus)' '/opt/my mpi/mpirun' ./a 'it'\''s' '' x=1)");
}

}  // namespace stretto::job
