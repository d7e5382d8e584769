// accelerator_choice.hpp - which accelerators the ranks of a node have, by STRETTO_ACC_DEVICE_TYPE.
//
// Threads     pure functions and values.
// Invariants  (1) the choice of a node depends on its own devices alone.
// Source      J. Kim, S. Lee, J. S. Vetter, "IMPACC: A Tightly Integrated MPI+OpenACC Framework Exploiting Shared
//             Memory Parallelism", HPDC 2016: a rank for each accelerator, by the kinds in IMPACC_ACC_DEVICE_TYPE.
#pragma once

#include <stretto_acc/openacc.h>
#include <cstddef>
#include <optional>
#include <span>
#include <stretto/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace stretto::acc {

/// The index of a device among those of its node; none: the cores of the host.
using accelerator_index = std::optional<std::size_t>;

/// A device of a node, as far as a choice depends on it.
struct device_facts {
  std::string backend;  // "cuda"
  device::processor_kind kind = device::processor_kind::gpu;
  std::string vendor;
  bool is_discrete = true;  // copies to its memory leave the memory of the host
};

device_facts facts_of(const device::properties& about);
/// Its type in OpenACC; acc_device_not_host if that has no name for it.
acc_device_t type_of(const device_facts& device);

/// The kinds of accelerators that a text asks for, joined by "," or "|", in upper or lower case.
class accelerator_kinds {
 public:
  /// An empty text stands for "default".
  ///   throws   O19 for an unknown kind
  explicit accelerator_kinds(std::string_view text);

  /// The accelerators of a node in the order of its ranks: its devices of these kinds, then the cores of the host if
  /// they are asked for. "default" is all discrete devices of a node, or else its cores.
  std::vector<accelerator_index> choose(std::span<const device_facts> node) const;
  /// The value of the option devices with which a runtime opens devices of these kinds, if there are any.
  std::string devices_option() const;
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  std::vector<std::size_t> asked_;  // of the table of kinds
};

/// STRETTO_ACC_DEVICE_TYPE, or else IMPACC_ACC_DEVICE_TYPE; empty: neither is set.
std::string kinds_in_environment();

/// Whether a variable of the environment, such as STRETTO_ACC_NEAR, is not "0".
bool is_switched_on(const char* variable);

/// The error O17. `where` has no accelerator of these kinds: "the node", "no node of the job".
error no_accelerator(std::string_view where, std::string_view kinds);

}  // namespace stretto::acc
