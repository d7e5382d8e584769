#include "device/narrow_ids.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/process_wide.hpp"
#include "device/template_text.hpp"

namespace stretto::device {
namespace {

struct held {
  std::int64_t least = 0, most = 0;
};
held of_bits(unsigned bits, bool is_signed) {
  if (is_signed) return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
  return {0, (std::int64_t{1} << bits) - 1};
}

/// Words that one type may consist of: "unsigned short int".
std::optional<held> type_of(std::span<const std::string_view> words) {
  bool is_unsigned = false, is_short = false, is_known = false;
  for (const std::string_view w : words) {
    if (w == "unsigned") is_unsigned = true;
    else if (w == "short") is_short = true;
    else if (w == "long" || w == "char") return std::nullopt;  // a char is a value more often than an id
    is_known = is_known || w != "const";
  }
  if (!is_known) return std::nullopt;
  return of_bits(is_short ? 16 : 32, !is_unsigned);
}

std::optional<held> sized_type(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, int>, 4> sized{
      {{"int16_t", 16}, {"int32_t", 32}, {"uint16_t", -16}, {"uint32_t", -32}}};
  for (const auto& [name, bits] : sized)
    if (word == name) return of_bits(static_cast<unsigned>(std::abs(bits)), bits > 0);
  return std::nullopt;
}

class narrow_id_reader {
 public:
  narrow_id_reader(const tokens& body, const std::vector<written_parameter>& parameters,
                   std::span<const kernel_parameter> kinds)
      : all_(body) {
    for (std::size_t i = 0; i < std::min(parameters.size(), kinds.size()); ++i)
      if (const kernel_parameter& p = kinds[i];
          p.dimensions && (p.element_bytes == 2 || p.element_bytes == 4) &&
          (p.kind == element_kind::integer || p.kind == element_kind::unsigned_integer))
        elements_[parameters[i].name] = of_bits(8 * p.element_bytes, p.kind == element_kind::integer);
  }

  std::vector<narrow_id> found() {
    for (std::size_t at = 0; at < all_.size();) {
      const auto [type, behind] = type_at(at);
      if (type) typed(*type, at, behind);
      else if (behind == at && is_name(at)) assigned(at);
      at = std::max(behind, at + 1);
    }
    return std::move(found_);
  }

 private:
  bool is(std::size_t at, std::string_view spelling) const { return at < all_.size() && all_[at] == spelling; }
  bool is_name(std::size_t at) const { return at < all_.size() && all_[at].is == token::what::name; }

  /// The narrow type at `at`, and the index behind it. Nothing for other types and for anything else.
  std::pair<std::optional<held>, std::size_t> type_at(std::size_t at) const {
    static constexpr std::array<std::string_view, 7> words{"unsigned", "signed", "short", "int",
                                                           "char",     "long",   "const"};
    std::vector<std::string_view> read;
    std::size_t behind = at;
    while (behind < all_.size() && std::ranges::find(words, all_[behind].spelling) != words.end())
      read.push_back(all_[behind++].spelling);
    if (is(behind, "std") && is(behind + 1, "::")) behind += 2;
    if (behind < all_.size())
      if (const auto type = sized_type(all_[behind].spelling)) return {type, behind + 1};
    const auto type = type_of(read);
    return {type, at + read.size()};
  }

  void typed(const held& type, std::size_t at, std::size_t behind) {
    if (is(behind, "(")) return take(type, at, behind + 1, closing(all_, behind));  // int(global_id(0))
    if (is(behind, ")") && at > 0 && is(at - 1, "("))                               // (int)global_id(0)
      return take(type, at - 1, behind + 1, end_of_operand(behind + 1));
    if (is(behind, ">") && is(behind + 1, "("))  // static_cast<int>(global_id(0))
      return take(type, at > 1 ? at - 2 : at, behind + 2, closing(all_, behind + 1));
    for (std::size_t name = behind; is_name(name);) {
      variables_[all_[name].spelling] = type;
      std::size_t end = name + 1;
      if (is(end, "=")) {
        end = end_of_expression(end + 1);
        take(type, name, name + 2, end);
      } else if (is(end, "(") || is(end, "{")) {
        const std::size_t close = closing(all_, end);
        take(type, name, end + 1, close);
        end = close + 1;
      }
      if (!is(end, ",")) return;
      name = end + 1;
    }
  }

  /// i = global_id(0), or x(...) = global_id(0).
  void assigned(std::size_t at) {
    if (at > 0 && (is(at - 1, ".") || is(at - 1, "->"))) return;
    if (const auto v = variables_.find(all_[at].spelling); v != variables_.end() && is(at + 1, "="))
      take(v->second, at, at + 2, end_of_expression(at + 2));
    const auto e = elements_.find(all_[at].spelling);
    if (e == elements_.end() || !is(at + 1, "(")) return;
    const std::size_t close = closing(all_, at + 1);
    if (is(close + 1, "=")) take(e->second, at, close + 2, end_of_expression(close + 2));
  }

  std::size_t end_of_expression(std::size_t at) const {
    int depth = 0;
    for (; at < all_.size(); ++at) {
      if (is(at, "(") || is(at, "[") || is(at, "{")) ++depth;
      if ((is(at, ")") || is(at, "]") || is(at, "}")) && --depth < 0) return at;
      if (depth == 0 && (is(at, ",") || is(at, ";"))) return at;
    }
    return at;
  }
  /// The index behind the operand of a cast.
  std::size_t end_of_operand(std::size_t at) const {
    if (is(at, "(")) return closing(all_, at) + 1;
    while (is_name(at) && is(at + 1, ".")) at += 2;
    return is_name(at) && is(at + 1, "(") ? closing(all_, at + 1) + 1 : at + 1;
  }

  /// Records the ids in [first, last), unless an operation there may reduce them.
  void take(const held& type, std::size_t from, std::size_t first, std::size_t last) {
    last = std::min(last, all_.size());
    if (!taken_.insert(first).second) return;  // a variable's initialiser is also an assignment to it
    std::vector<narrow_id> ids;
    for (std::size_t at = first; at < last; ++at) {
      if (is_name(at) && is(at + 1, "(")) {
        const std::size_t close = closing(all_, at + 1);
        auto id = id_called(at, close);
        if (!id) return;
        ids.push_back(std::move(*id));
        at = close;
      } else if (is_name(at) && !(is(at + 1, ".") && is_name(at + 2))) {
        return;  // a variable may make it smaller
      } else if (all_[at].is == token::what::sign && !is(at, "+") && !is(at, "-") && !is(at, "*") && !is(at, "(") &&
                 !is(at, ")") && !is(at, ".")) {
        return;
      }
    }
    tokens text(all_.begin() + static_cast<std::ptrdiff_t>(from), all_.begin() + static_cast<std::ptrdiff_t>(last));
    for (narrow_id& id : ids) {
      id.least = type.least, id.most = type.most;
      for (const token& t : text) {
        const bool is_apart = t == "=" || id.text.ends_with('=');
        id.text += (is_apart ? " " : "") + t.spelling;
      }
      found_.push_back(std::move(id));
    }
  }

  std::optional<narrow_id> id_called(std::size_t at, std::size_t close) const {
    narrow_id id;
    if (is(at, "global_id")) id.is = narrow_id::what::item;
    else if (is(at, "group_id")) id.is = narrow_id::what::group;
    else if (is(at, "global_size")) id.is = narrow_id::what::items_of_range;
    else return std::nullopt;
    if (close == at + 3 && all_[at + 2].spelling.size() == 1 && all_[at + 2].spelling[0] >= '0' &&
        all_[at + 2].spelling[0] < '3')
      id.axis = all_[at + 2].spelling[0] - '0';
    return id;
  }

  const tokens& all_;
  std::map<std::string, held, std::less<>> variables_, elements_;
  std::set<std::size_t> taken_;  // starts of the expressions that were examined
  std::vector<narrow_id> found_;
};

/// Kernels are never destroyed.
const std::vector<narrow_id>& narrow_ids_of(const kernel_code& code) {
  struct known {
    std::mutex mutex;
    std::unordered_map<const kernel_code*, std::vector<narrow_id>> of;
  };
  static known& of_process = base::make_process_wide<known>();
  const std::scoped_lock lock(of_process.mutex);
  const auto [at, is_new] = of_process.of.try_emplace(&code);
  if (is_new && !code.native)
    at->second = narrow_ids_in(body_tokens_of(code), parameters_of(parameter_tokens_of(code)), code.parameters);
  return at->second;
}

struct bounds {
  std::int64_t min = 0, max = 0;
};
/// The range of such an id along an axis.
bounds bounds_of(narrow_id::what is, const launch_range& r, int axis) {
  const bounds groups{r.min[axis], r.max[axis]}, items{groups.min * r.group[axis], groups.max * r.group[axis]};
  if (is == narrow_id::what::group) return groups;
  return is == narrow_id::what::item ? items : bounds{0, items.max - items.min + 1};
}

/// Whether even the narrowest type holds all ids.
bool are_small(const launch_range& r) {
  constexpr std::int64_t most = std::numeric_limits<std::int16_t>::max();
  for (int a = 0; a < r.dimensions; ++a)
    if (r.min[a] < 0 || r.max[a] * r.group[a] > most) return false;
  return true;
}

}  // namespace

std::vector<narrow_id> narrow_ids_in(const tokens& body, const std::vector<written_parameter>& parameters,
                                     std::span<const kernel_parameter> kinds) {
  return narrow_id_reader(body, parameters, kinds).found();
}

void refuse_wide_ids(const kernel_code& code, const launch_range& range, const std::source_location& where) {
  if (are_small(range)) return;
  // A cache: most launches repeat a recently launched kernel.
  struct seen {
    const kernel_code* code = nullptr;
    const std::vector<narrow_id>* ids = nullptr;
  };
  static thread_local std::array<seen, 16> last{};
  seen& s = last[reinterpret_cast<std::uintptr_t>(&code) / alignof(kernel_code) % last.size()];
  if (s.code != &code) s = {&code, &narrow_ids_of(code)};
  for (const narrow_id& id : *s.ids)
    for (int axis = 0; axis < range.dimensions; ++axis) {
      const bounds ids = bounds_of(id.is, range, axis);
      const bool is_meant = id.axis < 0 || id.axis == axis;
      if (!is_meant || ids.min >= ids.max || (ids.min >= id.least && ids.max - 1 <= id.most)) continue;
      throw error("K19",
                  fmt::format("kernel \"{}\" keeps ids of this launch in a type that cannot hold them", code.name))
          .fact("launched", where)
          .fact("kernel", fmt::format("{}:{}", code.file, code.line))
          .fact("ids", fmt::format("{} to {} on axis {}", ids.min, ids.max - 1, axis))
          .fact("kept as", fmt::format("{}: {} to {}", id.text, id.least, id.most))
          .because("ids have 64 bits; an id that does not fit would become the id of another element")
          .remedy("declare it long, or launch the kernel over smaller ranges");
    }
}

}  // namespace stretto::device
