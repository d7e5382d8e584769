#include "acc/accelerator_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "base/nearest_name.hpp"

namespace stretto::acc {
namespace {

using device::processor_kind;

bool is_of(const device_facts& device, std::string_view vendor) {
  return device.vendor.find(vendor) != std::string::npos;
}

bool is_nvidia(const device_facts& device) { return device.backend == "cuda" || is_of(device, "NVIDIA"); }

bool is_radeon(const device_facts& device) {
  return device.kind == processor_kind::gpu && (is_of(device, "AMD") || is_of(device, "Advanced Micro Devices"));
}

constexpr std::string_view any_driver = "cuda?,opencl?";

struct kind_row {
  std::string_view name;
  bool (*includes)(const device_facts&);  // null: the cores of the host
  std::string_view opens;                 // the value of the option devices; empty: none
};

constexpr std::array kind_rows{
    kind_row{"default", [](const device_facts& d) { return d.is_discrete; }, any_driver},
    kind_row{"host", nullptr, ""},
    kind_row{"cpu", nullptr, ""},
    kind_row{"not_host", [](const device_facts&) { return true; }, any_driver},
    kind_row{"gpu", [](const device_facts& d) { return d.kind == processor_kind::gpu; }, any_driver},
    kind_row{"cuda", [](const device_facts& d) { return d.backend == "cuda"; }, "cuda?"},
    kind_row{"opencl", [](const device_facts& d) { return d.backend == "opencl"; }, "opencl?"},
    kind_row{"sim", [](const device_facts& d) { return d.backend == "sim"; }, "sim"},
    kind_row{"nvidia", is_nvidia, any_driver},
    kind_row{"radeon", is_radeon, "opencl?"},
    kind_row{"xeonphi",
             [](const device_facts& d) { return d.kind == processor_kind::accelerator && is_of(d, "Intel"); },
             "opencl?"},
};

const kind_row& default_row = kind_rows[0];

/// "acc_device_nvidia", "NVIDIA" and " nvidia " are one name.
std::string plain_name(std::string_view word) {
  constexpr std::string_view prefix = "acc_device_";
  std::string name;
  for (const char c : word)
    if (!std::isspace(static_cast<unsigned char>(c)))
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

error unknown_kind(std::string_view word, std::string_view text) {
  std::vector<std::string> names;
  for (const kind_row& row : kind_rows) names.emplace_back(row.name);
  std::string guess = base::did_you_mean(plain_name(word), names);
  return error("O19", fmt::format("\"{}\" is no kind of accelerator", word))
      .fact("asked for", fmt::format("STRETTO_ACC_DEVICE_TYPE is \"{}\"", text))
      .fact("allowed", fmt::format("{}", fmt::join(names, ", ")))
      .fact("several", "are joined by \",\" or \"|\"")
      .remedy(guess.empty() ? "host, for the cores of each node" : std::move(guess));
}

}  // namespace

device_facts facts_of(const device::properties& about) {
  return {about.backend, about.kind, about.vendor, about.kind != processor_kind::cpu && !about.shares_host_memory};
}

acc_device_t type_of(const device_facts& device) {
  return is_nvidia(device) ? acc_device_nvidia : is_radeon(device) ? acc_device_radeon : acc_device_not_host;
}

accelerator_kinds::accelerator_kinds(std::string_view text) : text_(text) {
  if (plain_name(text).empty()) text = default_row.name;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",|", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const auto found = std::ranges::find(kind_rows, plain_name(word), &kind_row::name);
    if (found == kind_rows.end()) throw unknown_kind(word, text);
    asked_.push_back(static_cast<std::size_t>(found - kind_rows.begin()));
    at = end + 1;
  }
}

std::vector<accelerator_index> accelerator_kinds::choose(std::span<const device_facts> node) const {
  std::vector<accelerator_index> chosen;
  const auto is_asked_for = [&](const device_facts& device) {
    return std::ranges::any_of(
        asked_, [&](std::size_t row) { return kind_rows[row].includes && kind_rows[row].includes(device); });
  };
  for (std::size_t i = 0; i < node.size(); ++i)
    if (is_asked_for(node[i])) chosen.emplace_back(i);
  const bool has_cores = std::ranges::any_of(asked_, [](std::size_t row) { return !kind_rows[row].includes; });
  const bool has_default = std::ranges::any_of(asked_, [](std::size_t row) { return &kind_rows[row] == &default_row; });
  if (has_cores || (has_default && chosen.empty())) chosen.emplace_back();
  return chosen;
}

std::string accelerator_kinds::devices_option() const {
  std::vector<std::string_view> all;
  const auto add = [&](std::string_view word) {
    const bool is_opened = std::ranges::any_of(
        asked_, [&](std::size_t row) { return kind_rows[row].opens.find(word) != std::string_view::npos; });
    if (is_opened) all.push_back(word);
  };
  for (const std::string_view word : {"cuda?", "opencl?", "sim"}) add(word);
  return all.empty() ? "none" : fmt::format("{}", fmt::join(all, ","));
}

std::string kinds_in_environment() {
  for (const char* const variable : {"STRETTO_ACC_DEVICE_TYPE", "IMPACC_ACC_DEVICE_TYPE"})
    if (const char* const text = std::getenv(variable); text && *text) return text;
  return "";
}

bool is_switched_on(const char* variable) {
  const char* const text = std::getenv(variable);
  return !text || std::string_view(text) != "0";
}

error no_accelerator(std::string_view where, std::string_view kinds) {
  const std::string_view has = where.starts_with("no ") ? "has an" : "has no";
  return error("O17", fmt::format("{} {} accelerator of kind \"{}\"", where, has, kinds))
      .because("STRETTO_ACC_DEVICE_TYPE asks for it")
      .remedy("host, or a kind of which `stretto doctor` finds devices");
}

}  // namespace stretto::acc
