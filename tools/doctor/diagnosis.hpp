// diagnosis.hpp - from what was seen on a machine to what that means and what to do about it.
//
// Threads     pure functions.
// Invariants  the same findings give the same verdicts, in the same order; a verdict that is not `fine` says what it
//             costs, and, where there is one, the remedy as a command.
//
// A speed is compared with what expected_speed.hpp computes from the machine's own: below a third of that, something is
// wrong.
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
  std::string means;   // why it matters; where it is fine empty, but of a speed where the expectation comes from
  std::string remedy;  // a command; empty where there is none

  friend bool operator==(const verdict&, const verdict&) = default;
};

std::vector<verdict> make_verdicts(const findings& seen);

/// The command that installs a piece, by the name that Debian gives it; empty where that is not known.
std::string install_command(const std::string& debian_package, packager packages, bool is_root);

}  // namespace stretto::doctor
