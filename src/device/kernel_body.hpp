// kernel_body.hpp - the body of a kernel or a device function, from the user's words to those of a device's language.
//
// Threads     pure.
// Cost        linear in the body; what stands in a region is searched once more.
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

/// Memory of a group that the body declares, or a value per item.
struct declared {
  tokens type;
  std::vector<tokens> lengths;
};

/// What the body becomes, and what has to be declared before it.
struct kernel_body {
  tokens text;
  std::map<std::string, declared> local_arrays;  ///< by name
  std::set<atomic_function> atomics;
};

/// Whose body it is.
struct body_of {
  std::string_view kernel;  ///< for errors
  const std::vector<written_parameter>& parameters;
  bool in_groups = false;
  index_checks checked = index_checks::off;
};

/// Throws K10 where the body cannot be put into the dialect.
kernel_body body_for(dialect d, const body_of& whose, const tokens& body);

/// A name that the body may use for its own, though OpenCL C or CUDA have another use for the word.
std::string as_plain_name(const std::string& word);
/// In one line, with plain names.
std::string joined(const tokens& all);

}  // namespace stretto::device
