// device_clauses.hpp - clauses behind device_type, which hold for devices of some kinds alone.
//
// Threads     pure.
// Source      OpenACC 3.3, section 2.4: clauses of a kind replace those of the same name ahead of all device_type. Ours
//             also replace those that exclude them: seq replaces gang.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "cc/acc/directive_tree.hpp"

namespace stretto::cc::acc {

/// The kinds of devices that the runtime has: cores, devices of OpenCL, and devices of CUDA.
enum class device_kind : std::uint8_t { host, opencl, nvidia };
inline constexpr std::array device_kinds{device_kind::host, device_kind::opencl, device_kind::nvidia};

/// The directive as devices of a kind see it, without device_type. Those of init, shutdown and set stay: they name a
/// device.
directive directive_for(const directive& d, device_kind kind);

/// Whether a directive, or one inside, has clauses that hold for some kinds alone.
bool depends_on_device(const placed_directive& one);

/// An expression of the translated program: the text for the kind that its device has.
///
///   of   the text for a directive without device_type
std::string choice_by_device(const directive& d, const std::function<std::string(const directive&)>& of);
/// The same of statements.
std::string branches_by_device(const directive& d, const std::function<std::string(const directive&)>& of);
/// The expression that has one of the texts, in the order of device_kinds.
std::string choice_by_device(const std::array<std::string, device_kinds.size()>& texts);

}  // namespace stretto::cc::acc
