// The search for MPI libraries, and the errors for those that cannot be used. tests/net_mpi uses real libraries.
#include "net/mpi/mpi_library.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto::net::mpi {

TEST_CASE("a folder that was named is the only one that is searched for MPI libraries") {
  CHECK(library_folders("here") == std::vector<std::string>{"here"});
}

TEST_CASE("MPI libraries are searched for where they are installed, where they were built, and on the loader's path") {
  const auto folders = library_folders("");
  REQUIRE(folders.size() >= 3);
  CHECK(folders.back().empty());
  CHECK(folders.end()[-2].ends_with("/mpi"));
  CHECK(std::all_of(folders.begin(), folders.end() - 2, [](const std::string& f) { return f.ends_with("/stretto"); }));
}

TEST_CASE("the error for a missing MPI library names the folders that were searched") {
  const test::temporary_folder one, other;
  const std::string folders[] = {one.path.string(), other.path.string()};
  const auto said = test::thrown_by([&] { load({}, folders); });
  CHECK(said.find("error N08: there is no MPI that Stretto can use\n") == 0);
  CHECK(said.find("no stretto_mpi_openmpi.so in " + folders[0] + ", " + folders[1]) != said.npos);
  CHECK(said.find("no stretto_mpi_mpich.so in " + folders[0] + ", " + folders[1]) != said.npos);
  CHECK(said.find("STRETTO_MPI_FOLDER") != said.npos);
}

TEST_CASE("the error for an MPI library that cannot be loaded has the loader's reason") {
  const test::temporary_folder here;
  std::ofstream(here.path / library_file("mpich")) << "no library";
  const std::string folders[] = {here.path.string()};
  const auto said = test::thrown_by([&] { load({.program = "mpich"}, folders); });
  CHECK(said.find("error N08: Stretto has no library for the MPI of this program, mpich\n") == 0);
  CHECK(said.find("stretto_mpi_mpich.so: file too short") != said.npos);
  CHECK(said.find("  openmpi ") == said.npos);  // it would not fit the program's own calls
}

TEST_CASE("the error for several processes that each see a job of one names the launcher that does not fit") {
  const launch_environment here{.program = "", .launcher = "openmpi", .launched = 4};
  CHECK(test::thrown_by([&] { check_launch(here, "MPICH Version 4.0\nmore", 1); }) ==
        "error N09: the launcher started 4 processes, but MPI sees 1 in each\n"
        "  launcher    openmpi\n"
        "  MPI         MPICH Version 4.0\n"
        "  try         start the program with `stretto run`, or with the launcher of the same MPI: mpirun.openmpi, "
        "mpirun.mpich");
  CHECK(test::thrown_by([] { check_launch({.program = "", .launcher = "", .launched = 4}, "MPICH", 1); }) ==
        "error N09: the launcher started 4 processes, but MPI sees 1 in each\n"
        "  launcher    srun\n"
        "  MPI         MPICH\n"
        "  try         srun --mpi=pmix with Open MPI, srun --mpi=pmi2 with MPICH; `stretto run` chooses by itself");
  check_launch(here, "MPICH", 4);
  check_launch({.program = "", .launcher = "", .launched = 1}, "MPICH", 1);
}

TEST_CASE("processes that Slurm started without a bootstrap interface fail before MPI starts") {
  using variable = test::with_variable;
  CHECK(detect_launch_environment().has_bootstrap);
  const variable tasks("SLURM_STEP_NUM_TASKS", "4");
  for (const char* told : {"PMI_FD", "PMIX_RANK", "PMI2_SIZE", "OMPI_MCA_btl"}) {
    const variable any(told, "");
    CHECK(detect_launch_environment().has_bootstrap);
    check_bootstrap(detect_launch_environment());
  }
  CHECK(test::thrown_by([] { check_bootstrap(detect_launch_environment()); }) ==
        "error N20: Slurm started 4 processes without a bootstrap interface (PMI or PMIx) for MPI\n"
        "  or          STRETTO_JOB=mpi starts MPI anyway; with STRETTO_JOB=alone each process is a job of its own\n"
        "  because     no variable of PMI or PMIx is set: srun's --mpi is \"none\" here\n"
        "  try         srun --mpi=pmix with Open MPI, srun --mpi=pmi2 with MPICH; `stretto run` chooses by itself");
  const variable one("SLURM_STEP_NUM_TASKS", "1");
  check_bootstrap(detect_launch_environment());
}

TEST_CASE("Slurm's counts for each host are parsed") {
  using counts = std::vector<std::uint32_t>;
  CHECK(slurm_counts("2(x3),5") == counts{2, 2, 2, 5});
  CHECK(slurm_counts("1,7,1") == counts{1, 7, 1});
  CHECK(slurm_counts("4") == counts{4});
  for (const char* none : {"", "nonsense", ",3"}) CHECK(slurm_counts(none).empty());
  CHECK(slurm_counts(nullptr).empty());
  CHECK(slurm_counts("1(x4000000000),2").size() == 65537);
}

TEST_CASE("a process knows its place on its host from its launcher's variables") {
  using variable = test::with_variable;
  const auto place = [] {
    const auto on = launched_on_host();
    return on ? std::to_string(on->self) + " of " + std::to_string(on->count) : "";
  };
  for (const auto& [rank, size] : {std::pair("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
                                   std::pair("MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
                                   std::pair("MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE")}) {
    CHECK(place().empty());
    const variable self(rank, "2");
    CHECK(place().empty());
    const variable count(size, "4");
    CHECK(place() == "2 of 4");
    const variable none(size, "2");
    CHECK(place().empty());
  }
  const variable self("SLURM_LOCALID", "1");
  CHECK(place().empty());
  for (const auto& [host, said, expected] :
       {std::tuple("0", "4", "1 of 4"), std::tuple("0", "2(x3),5", "1 of 2"), std::tuple("2", "2(x3),5", "1 of 2"),
        std::tuple("3", "2(x3),5", "1 of 5"), std::tuple("4", "2(x3),5", ""), std::tuple("1", "1,7,1", "1 of 7"),
        std::tuple("0", "1", ""), std::tuple("0", "nonsense", "")}) {
    const variable node("SLURM_NODEID", host), tasks("SLURM_STEP_TASKS_PER_NODE", said);
    CAPTURE(said);
    CHECK(place() == expected);
  }
}

}  // namespace stretto::net::mpi
