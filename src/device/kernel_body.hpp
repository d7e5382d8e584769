// kernel_body.hpp - translates the body of a kernel or a device function from the user's C++ to a device's language.
//
// Threads     pure.
// Cost        linear in the body; regions are searched once more.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/dialect.hpp"
#include "device/index_checks.hpp"
#include "device/kernel_preludes.hpp"
#include "device/kernel_signature.hpp"
#include "device/kernel_tokens.hpp"

namespace stretto::device {

/// A local_array or per_item that the body declares.
struct declared {
  tokens type;
  std::vector<tokens> lengths;
};

/// The translated body, and the declarations that must precede it.
struct kernel_body {
  tokens text;
  std::map<std::string, declared> local_arrays;  ///< by name
  std::set<atomic_function> atomics;
};

/// The kernel or function that the body belongs to.
struct body_of {
  std::string_view kernel;  ///< for errors
  const std::vector<written_parameter>& parameters;
  bool in_groups = false;
  index_checks checked = index_checks::off;
};

/// Throws K10 if the body cannot be translated into the dialect.
kernel_body body_for(dialect d, const body_of& whose, const tokens& body);

/// Replaces a name that the body may declare itself but that is a keyword or built-in of OpenCL C or CUDA.
std::string as_plain_name(const std::string& word);
/// All tokens in one line, with replaced names.
std::string joined(const tokens& all);

}  // namespace stretto::device
