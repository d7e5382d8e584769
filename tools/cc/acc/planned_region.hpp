// planned_region.hpp - what the kernel of a region gets from the host, and which of its loops are divided among gangs.
//
// Threads     values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cc/acc/data_item.hpp"
#include "cc/acc/device_clauses.hpp"
#include "cc/acc/gang_variables.hpp"
#include "cc/acc/region_code.hpp"
#include "cc/acc/row_extents.hpp"

namespace stretto::cc::acc {

/// How a variable of the host reaches the kernel.
enum class argument_way : std::uint8_t {
  value,      // a copy, in each gang; also of an array
  reference,  // its memory on the device: variables in data clauses and results of reductions
  array,      // the address of its first element on the device
};

struct kernel_argument {
  const declaration* of;
  argument_way way;
  sized_type sized;
  bool is_device_address = false;       // of a pointer: its value is of the device already
  std::optional<own_part> copied = {};  // of a pointer: each gang has a copy of this part behind it
};

struct loop_plan {
  bool is_divided = false;    // among the gangs
  std::size_t collapsed = 1;  // loops that are divided together
  std::vector<private_variable> privates = {};
  std::vector<reduced_variable> reductions = {};  // of a divided loop: into arguments by reference
  /// Temporaries of a divided loop without clauses: the last iteration sets the variable of the host.
  std::vector<const declaration*> last_values = {};
  bool sets_variables = false;  // of the divided loops: they have their values behind the loops
};

struct region_plan {
  const placed_directive* directive;
  bool is_single = false;       // one gang runs it
  std::string why_single = {};  // of that: "serial"
  std::vector<kernel_argument> arguments;
  std::vector<data_item> data = {};  // that the region moves: by its clauses, and by the rules for variables without
  std::string work = {};             // operations, in C; empty if they are not known ahead
  std::string gangs = "0";           // in C; 0: the runtime chooses
  std::vector<private_variable> privates = {};       // of each gang
  std::vector<reduced_variable> reductions = {};     // of the copies of all gangs
  std::map<const statement*, loop_plan> loops = {};  // those with directives
};

/// The plans of a region for devices of each language.
struct device_plans {
  region_plan opencl, cuda;
};

}  // namespace stretto::cc::acc
