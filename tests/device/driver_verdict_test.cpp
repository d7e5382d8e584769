// Drivers that end or hang the program that opens them.
#include "device/driver_verdict.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "base/installed_folders.hpp"
#include "base/whole_file.hpp"
#include "temporary_folder.hpp"
#include "with_variable.hpp"

namespace stretto::device {
namespace {

namespace fs = std::filesystem;
using test::with_variable;

struct trial {
  explicit trial(std::chrono::milliseconds limit = std::chrono::seconds(60)) {
    how = {.program = base::installed_file("stretto_driver_probe"), .folder = folder.path / "verdicts", .limit = limit};
    REQUIRE_FALSE(how.program.empty());
  }
  test::temporary_folder folder;
  driver_trial how;
};

TEST_CASE("a driver that aborts, exits or hangs is found to be broken, and this program goes on") {
  const trial t;
  SUBCASE("it aborts") {
    const with_variable broken("BROKEN_DRIVER", "abort");
    const auto fault = fault_of_driver("cuda", STRETTO_BROKEN_DRIVER, t.how);
    REQUIRE(fault);
    CHECK(fault->driver == STRETTO_BROKEN_DRIVER);
    CHECK(fault->reason == "a trial program that opened it was killed by signal 6 (Aborted): the driver is lost");
  }
  SUBCASE("it ends the program as if all were well") {
    const with_variable broken("BROKEN_DRIVER", "exit");
    const auto fault = fault_of_driver("opencl", STRETTO_BROKEN_DRIVER, t.how);
    REQUIRE(fault);
    CHECK(fault->reason == "a trial program that opened it ended with exit code 0");
  }
  SUBCASE("it hangs") {
    const trial short_one{std::chrono::milliseconds(200)};
    const with_variable broken("BROKEN_DRIVER", "hang");
    const auto fault = fault_of_driver("cuda", STRETTO_BROKEN_DRIVER, short_one.how);
    REQUIRE(fault);
    CHECK(fault->reason == "a trial program that opened it did not end within 0.2 s");
  }
}

TEST_CASE("a library that can be opened, and one that is not there, are no broken drivers") {
  const trial t;
  CHECK_FALSE(fault_of_driver("cuda", STRETTO_BROKEN_DRIVER, t.how));
  CHECK_FALSE(fault_of_driver("opencl", STRETTO_STUB_OPENCL, t.how));
  CHECK_FALSE(fault_of_driver("opencl", "libno_such_driver.so.1", t.how));
}

TEST_CASE("a verdict is remembered until the driver or the environment is another one") {
  const trial t;
  driver_trial never = t.how;
  never.program = "/bin/false";  // a probe that reports every driver as broken
  CHECK_FALSE(fault_of_driver("cuda", STRETTO_BROKEN_DRIVER, t.how));
  CHECK_FALSE(fault_of_driver("cuda", STRETTO_BROKEN_DRIVER, never));
  CHECK(fault_of_driver("opencl", STRETTO_BROKEN_DRIVER, never));
  {
    const with_variable broken("BROKEN_DRIVER", "abort");
    CHECK(fault_of_driver("cuda", STRETTO_BROKEN_DRIVER, t.how));
    const auto kept = fault_of_driver("cuda", STRETTO_BROKEN_DRIVER, never);
    REQUIRE(kept);
    CHECK(kept->reason == "a trial program that opened it was killed by signal 6 (Aborted): the driver is lost");
  }
  const with_variable rank("OMPI_COMM_WORLD_RANK", "3");  // drivers do not read it
  CHECK_FALSE(fault_of_driver("cuda", STRETTO_BROKEN_DRIVER, never));
}

TEST_CASE("a broken verdict is forgotten after an hour, and a damaged one at once") {
  const trial t;
  const with_variable broken("BROKEN_DRIVER", "abort");
  CHECK(fault_of_driver("cuda", STRETTO_BROKEN_DRIVER, t.how));
  const fs::path file = fs::directory_iterator(t.how.folder)->path();
  driver_trial another = t.how;
  another.program = "/bin/echo";
  const auto ask_another_probe = [&] { return fault_of_driver("cuda", STRETTO_BROKEN_DRIVER, another); };
  CHECK(ask_another_probe());
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::minutes(61));
  const auto again = ask_another_probe();
  REQUIRE(again);
  CHECK(again->reason == "a trial program that opened it ended with exit code 0");  // it was probed again
  std::ofstream(file) << "nonsense";
  CHECK(ask_another_probe());
}

TEST_CASE("the OpenCL driver among several that is broken is named") {
  const test::temporary_folder vendors;
  std::ofstream(vendors.path / "a.icd") << STRETTO_STUB_EMPTY << "\n";
  std::ofstream(vendors.path / "b.icd") << STRETTO_BROKEN_DRIVER << "\n";
  const with_variable folder("OCL_ICD_VENDORS", vendors.path.string().c_str()), broken("BROKEN_DRIVER", "abort");
  const trial t;
  const auto fault = fault_of_driver("opencl", "libOpenCL.so.1", t.how);
  if (!fault) return;  // without a loader no driver is opened
  CHECK(fault->driver == (vendors.path / "b.icd").string());
}

TEST_CASE("without a probe drivers are opened untried") {
  const with_variable broken("BROKEN_DRIVER", "abort");
  CHECK_FALSE(fault_of_driver("cuda", STRETTO_BROKEN_DRIVER, {}));
}

}  // namespace
}  // namespace stretto::device
