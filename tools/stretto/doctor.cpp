// doctor.cpp - stretto doctor: what is installed, what is missing, which limits apply, and how fast this machine is.
#include <fmt/format.h>

#include <cstdlib>

#include "device/driver_verdict.hpp"
#include "doctor/diagnosis.hpp"
#include "doctor/inspection.hpp"
#include "doctor/mpi_trial.hpp"
#include "doctor/report.hpp"
#include "stretto/arguments.hpp"
#include "stretto/terminal.hpp"

namespace stretto::tools {

int run_doctor(const invocation& call) {
  arguments words(call);
  bool json = false, quick = false, exchange = false;
  std::string mpi_library;
  words.add_flag("--quick", quick, "measure nothing, try nothing");
  words.add_json(json);
  words.add_flag("--exchange", exchange)->group("");          // what the trial of an MPI starts
  words.add_option("--mpi-library", mpi_library)->group("");  // opened in a process of its own
  if (!words.read()) return 0;
  const auto& mpi_folder = call.options.values.mpi_folder;
  if (!mpi_library.empty()) return doctor::print_version_of_mpi(mpi_library);
  if (exchange) return doctor::run_mpi_trial(mpi_folder);

  const char* const said = std::getenv("PATH");
  const std::string path = said ? said : "";
  device::forget_driver_verdicts();  // they are tried anew
  auto seen = doctor::inspect_machine("/", path);
  seen.max_suspended = call.options.values.max_suspended;
  seen.stack_size = call.options.values.stack_size;
  seen.mpis = doctor::find_mpis(path, mpi_folder);
  if (!quick) doctor::test_mpis(seen.mpis, path);
  seen.devices = doctor::find_devices();  // its drivers may start threads, which take signals: after the trials
  if (!quick) {
    const auto measured = doctor::measure_speeds();
    seen.speeds = measured.speeds;
    seen.yardsticks = measured.yardsticks;
  }
  const auto verdicts = doctor::make_verdicts(seen);
  print_text("{}", json ? doctor::to_json(seen, verdicts) : doctor::to_text(seen, verdicts));
  return 0;
}

}  // namespace stretto::tools
