// doctor.cpp - stretto doctor: what is here, what is missing, what limits bite, and how fast this machine is.
#include <fmt/format.h>

#include <cstdlib>

#include "doctor/judge.hpp"
#include "doctor/look.hpp"
#include "doctor/report.hpp"
#include "stretto/arguments.hpp"

namespace stretto::tools {

int run_doctor(const invocation& call) {
  arguments words(call);
  bool json = false, quick = false;
  words.add_flag("--quick", quick, "measure nothing");
  words.add_json(json);
  if (!words.read()) return 0;

  const char* const path = std::getenv("PATH");
  auto seen = doctor::look("/", path ? path : "");
  seen.max_suspended = call.options.values.max_suspended;
  seen.stack_size = call.options.values.stack_size;
  seen.devices = doctor::look_for_devices();
  if (!quick) {
    const auto measured = doctor::measure_speeds();
    seen.speeds = measured.speeds;
    seen.yardsticks = measured.yardsticks;
  }
  const auto verdicts = doctor::judge(seen);
  fmt::print("{}", json ? doctor::to_json(seen, verdicts) : doctor::to_text(seen, verdicts));
  return 0;
}

}  // namespace stretto::tools
