// report.hpp - the verdicts of `stretto doctor` as text for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "doctor/diagnosis.hpp"
#include "doctor/findings.hpp"

namespace stretto::doctor {

std::string to_text(const findings& seen, const std::vector<verdict>& verdicts);
/// One object, ends with a newline: system, processor, the verdicts, and the measured figures in SI units.
std::string to_json(const findings& seen, const std::vector<verdict>& verdicts);

}  // namespace stretto::doctor
