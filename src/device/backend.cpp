#include "device/backend.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <span>

#include "base/nearest_name.hpp"
#include "device/driver_guard.hpp"

namespace stretto::device {

namespace {

/// Variables that hide devices. Launchers set the first ones for each process.
constexpr const char* hiding[] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                  "GPU_DEVICE_ORDINAL",   "ZE_AFFINITY_MASK",     "ONEAPI_DEVICE_SELECTOR",
                                  "POCL_DEVICES",         "OCL_ICD_VENDORS"};
constexpr std::size_t by_launchers = 5;

std::vector<std::string> words_of(const std::vector<backend>& known) {
  std::vector<std::string> words{"all", "none"};
  for (const backend& b : known) words.push_back(b.name);
  return words;
}

error no_such(std::string_view word, std::string_view text, const std::vector<backend>& known) {
  const auto words = words_of(known);
  std::string list;
  for (const std::string& w : words) list += (list.empty() ? "" : ", ") + w;
  std::string guess = base::did_you_mean(word, words);
  return error("K26", fmt::format("option devices cannot be \"{}\": \"{}\" names no kind of device", text, word))
      .fact("allowed", list + "; a kind may have a number, as in sim:4")
      .remedy(guess.empty() ? "`stretto doctor` lists the devices of this machine" : std::move(guess));
}

/// Parses the text between brackets: comma-separated names, each perhaps with "=" and a value.
std::vector<setting> read_settings(std::string_view inside, const backend& of) {
  std::vector<setting> all;
  for (std::size_t at = 0; at <= inside.size();) {
    const std::size_t comma = std::min(inside.find(',', at), inside.size());
    const std::string_view one = inside.substr(at, comma - at);
    const std::size_t equals = std::min(one.find('='), one.size());
    setting s{std::string(one.substr(0, equals)), std::string(one.substr(std::min(equals + 1, one.size())))};
    if (std::ranges::find(of.settings, s.name) == of.settings.end()) {
      error e = wrong_setting(of.name, fmt::format("devices of kind {} have no setting \"{}\"", of.name, s.name));
      if (!of.settings.empty()) e.fact("settings", fmt::format("{}", fmt::join(of.settings, ", ")));
      std::string guess = base::did_you_mean(s.name, of.settings);
      throw std::move(e).remedy(!guess.empty() ? std::move(guess) : "docs/guide/devices.md says what each does");
    }
    all.push_back(std::move(s));
    at = comma + 1;
  }
  return all;
}

device_request read_word(std::string_view word, std::string_view text, const std::vector<backend>& known) {
  device_request w;
  const std::size_t open = word.find('(');
  const std::string_view brackets = open == word.npos ? std::string_view() : word.substr(open);
  word = word.substr(0, open);
  const auto colon = word.find(':');
  w.backend = word.substr(0, colon);
  w.is_named = !w.backend.ends_with('?');
  if (!w.is_named) w.backend.pop_back();
  const auto of = std::ranges::find(known, w.backend, &backend::name);
  if (of == known.end()) throw no_such(w.backend, text, known);
  if (!brackets.empty()) {
    if (brackets.back() != ')')
      throw error("K26", fmt::format("option devices cannot be \"{}\": a bracket is not closed", text))
          .remedy("write the settings of a device as in sim:2(shared_bus,engines=1)");
    w.settings = read_settings(brackets.substr(1, brackets.size() - 2), *of);
  }
  if (colon == word.npos) return w;
  const std::string_view number = word.substr(colon + 1);
  const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), w.at_most);
  if (fault != std::errc() || end != number.data() + number.size() || w.at_most < 1 || w.at_most > most_devices)
    throw error("K26",
                fmt::format("option devices cannot be \"{}\": \"{}\" is not a valid number of devices", text, number))
        .fact("allowed", fmt::format("1 to {}; without a number: all devices of that kind, or one simulated device",
                                     most_devices));
  return w;
}

}  // namespace

const device_selection* selection_of(const std::optional<std::vector<device_selection>>& only,
                                     unsigned number) noexcept {
  static constexpr device_selection as_it_is{};
  if (!only) return &as_it_is;
  const auto at = std::ranges::find(*only, number, &device_selection::number);
  return at == only->end() ? nullptr : &*at;
}

std::string identity_by_number(const std::string& name, unsigned number) {
  std::string all = fmt::format("{}\n{}", name, number);
  for (const char* v : hiding)
    if (const char* const said = std::getenv(v)) all += fmt::format("\n{}={}", v, said);
  return all;
}

std::string hiding_variable() {
  for (const char* v : std::span(hiding).first(by_launchers))
    if (std::getenv(v)) return v;
  return {};
}

error wrong_setting(std::string_view backend, std::string sentence) {
  return error("K29", std::move(sentence)).fact("option", fmt::format("devices, kind {}", backend));
}

std::vector<device_request> parse_devices(std::string_view text, const std::vector<backend>& known) {
  std::vector<device_request> all;
  if (text.empty() || text == "none") return all;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t comma = at;
    for (int depth = 0; comma < text.size() && (depth > 0 || text[comma] != ','); ++comma)
      depth += text[comma] == '(' ? 1 : text[comma] == ')' ? -1 : 0;
    const std::string_view word = text.substr(at, comma - at);
    if (word == "all") {
      for (const backend& b : known)
        if (!b.is_simulated) all.push_back({b.name, ~0u, false});
    } else {
      all.push_back(read_word(word, text, known));
    }
    at = comma + 1;
  }
  return all;
}

std::vector<opened_device> open_devices(const std::vector<device_request>& which, const std::vector<backend>& known,
                                        const open_options& how) {
  std::vector<opened_device> open;
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(open, [&](const opened_device& f) { return f.is->about().backend == name; });
  };
  for (const device_request& w : which) {
    const backend& b = *std::ranges::find(known, w.backend, &backend::name);
    open_options s = how;
    s.at_most = w.at_most;
    s.settings = w.settings;
    s.only = w.only;
    std::size_t usable = 0;
    opened_device unusable;
    std::vector<opened_device> all;
    {
      const driver_guard here(b.thread_prefix);
      all = b.find(s);
    }
    for (opened_device& f : all) {
      if (!f.is) {
        if (unusable.name.empty()) unusable = std::move(f);
        continue;
      }
      // NVIDIA's driver also lists its devices under OpenCL.
      if (!w.is_named && has("cuda") && f.is->about().vendor == "NVIDIA Corporation") continue;
      if (usable++ < w.at_most) open.push_back(std::move(f));
    }
    if (open.size() > most_devices)
      throw error("K26", fmt::format("option devices asks for {} devices, but a runtime has at most {}", open.size(),
                                     most_devices))
          .because("a bit mask records which memories hold a valid element, and host memory needs one bit")
          .remedy("ask for fewer, as in sim:4; each process of a job may have as many");
    if (usable || !w.is_named) continue;
    error e("K27", fmt::format("option devices asks for {}, but no such device is usable", w.backend));
    if (!unusable.name.empty()) e.fact("found", unusable.name);
    throw std::move(e)
        .because(unusable.reason.empty() ? "none was found" : unusable.reason)
        .remedy(unusable.remedy.empty() ? "leave it out" : unusable.remedy);
  }
  return open;
}

}  // namespace stretto::device
