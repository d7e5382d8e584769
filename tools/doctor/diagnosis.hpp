// diagnosis.hpp - derives verdicts from the findings on a machine: their meaning, and a remedy.
//
// Threads     pure functions.
// Invariants  the same findings give the same verdicts, in the same order; a verdict that is not `fine` names its cost
//             and, if there is one, the remedy as a command.
//
// A speed is compared with the expectation of expected_speed.hpp. Below a third of that, something is wrong.
#pragma once

#include <string>
#include <vector>

#include "doctor/findings.hpp"

namespace stretto::doctor {

enum class grade {
  fine,
  absent,   // would add something
  limited,  // works, and will be slow or small
  broken,   // something that Stretto offers will fail
};

struct verdict {
  std::string group;  // "pieces", "limits", "speed"
  std::string topic;  // "Graphviz"
  doctor::grade grade;
  std::string says;    // "8 MiB"
  std::string means;   // why it matters; if fine: empty, or the source of the expected speed
  std::string remedy;  // a command; empty if there is none

  friend bool operator==(const verdict&, const verdict&) = default;
};

std::vector<verdict> make_verdicts(const findings& seen);

/// The command that installs a package, given its Debian name; empty if it is unknown.
std::string install_command(const std::string& debian_package, packager packages, bool is_root);

}  // namespace stretto::doctor
