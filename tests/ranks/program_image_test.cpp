// program_image_test.cpp - which files are taken for programs of ranks, and what is said of the others.
#include "ranks/program/program_image.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <random>
#include <stretto/error.hpp>

#include "base/whole_file.hpp"
#include "ranks/program/library_search.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace stretto;
using namespace stretto::ranks;

const std::string program = STRETTO_RANK_PROGRAMS "/libraries";

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string code_of(const std::filesystem::path& file) {
  try {
    const program_image image(file);
    return "";
  } catch (const error& e) {
    return e.code();
  }
}

TEST_CASE("a program that stretto cc made is a program of ranks") {
  const program_image image(program);
  CHECK(image.path() == program);
  CHECK(image.table_address() != 0);
}

TEST_CASE("other files are refused") {
  const test::temporary_folder folder;
  write(folder.path / "text", "no program");
  write(folder.path / "empty", "");
  CHECK(code_of(folder.path / "missing") == "R80");
  CHECK(code_of(folder.path) == "R81");
  CHECK(code_of(folder.path / "text") == "R81");
  CHECK(code_of(folder.path / "empty") == "R81");
  CHECK(code_of("/bin/sh") == "R81");
  CHECK(code_of(STRETTO_RANK_PROGRAMS "/libcounted.so") == "R81");
}

TEST_CASE("a file that ends early is refused") {
  const test::temporary_folder folder;
  const auto bytes = base::read_whole(program, 1 << 20).text;
  for (const std::size_t size : {1, 63, 64, 500, 3000, 9000}) {
    CAPTURE(size);
    write(folder.path / "cut", bytes.substr(0, size));
    CHECK(code_of(folder.path / "cut") == "R81");
  }
}

TEST_CASE("a damaged file is refused, or is a program, and nothing beyond it is read") {
  const test::temporary_folder folder;
  const auto bytes = base::read_whole(program, 1 << 20).text;
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    auto damaged = bytes;
    for (int change = 0; change < 8; ++change) damaged[random() % (i % 2 ? 1024 : bytes.size())] = char(random());
    write(folder.path / "damaged", damaged);
    const auto code = code_of(folder.path / "damaged");
    CHECK((code.empty() || code == "R81" || code == "R82" || code == "R80"));
  }
}

TEST_CASE("symbols and libraries tell which MPI an object was made for") {
  CHECK(mpi_with_symbol("ompi_mpi_comm_world") == "Open MPI");
  CHECK(mpi_with_symbol("MPIR_Dup_fn") == "MPICH");
  CHECK(mpi_with_symbol("MPI_Send").empty());
  CHECK(belongs_to_other_mpi("libmpi.so.40"));
  CHECK(belongs_to_other_mpi("libmpich.so.12"));
  CHECK_FALSE(belongs_to_other_mpi("libmpifake.so.1"));
}

}  // namespace
