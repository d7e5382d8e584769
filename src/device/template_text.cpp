#include "device/template_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace stretto::device {

namespace {

bool is_member(const tokens& all, std::size_t i) { return i > 0 && (all[i - 1] == "." || all[i - 1] == "->"); }

std::string negative(std::int64_t n, std::string_view suffix) {
  // The least integer has no positive counterpart that could follow a minus sign.
  const std::int64_t beyond =
      n == std::numeric_limits<std::int64_t>::min() || n == std::numeric_limits<std::int32_t>::min() ? 1 : 0;
  return beyond ? fmt::format("(-{0}{1} - 1{1})", -(n + 1), suffix) : fmt::format("(-{}{})", -n, suffix);
}

/// The number as a literal of its type.
std::string spelled(const template_argument& a) {
  const auto with_sign = static_cast<std::int64_t>(a.number);
  const auto text = [&](std::string_view suffix) {
    return with_sign < 0 ? negative(with_sign, suffix) : fmt::format("{}{}", with_sign, suffix);
  };
  if (a.type == "int32_t") return text("");
  if (a.type == "int64_t") return text("L");
  if (a.type == "uint32_t") return fmt::format("{}u", a.number);
  if (a.type == "uint64_t") return fmt::format("{}uL", a.number);
  return fmt::format("(({}){})", a.type, text(""));
}

}  // namespace

void substitute_arguments(tokens& all, std::span<const template_argument> arguments) {
  if (arguments.empty()) return;
  tokens out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto found =
        std::ranges::find_if(arguments, [&](const template_argument& a) { return all[i] == a.parameter; });
    if (all[i].is != token::what::name || found == arguments.end() || is_member(all, i)) {
      out.push_back(all[i]);
      continue;
    }
    for (token& t : tokens_of(found->is_number() ? spelled(*found) : std::string(found->type))) {
      t.line = all[i].line;
      out.push_back(std::move(t));
    }
  }
  all = std::move(out);
}

void remove_own_namespace(tokens& all) {
  for (std::size_t i = 0; i + 1 < all.size();) {
    if (!(all[i] == "stretto" && all[i + 1] == "::")) {
      ++i;
      continue;
    }
    const std::size_t first = i > 0 && all[i - 1] == "::" ? i - 1 : i;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    i = first;
  }
}

namespace {

tokens as_devices_see(std::string_view text, const kernel_code& code) {
  tokens all = tokens_of(text);
  substitute_arguments(all, code.template_arguments);
  remove_own_namespace(all);
  return all;
}

}  // namespace

tokens body_tokens_of(const kernel_code& code) { return as_devices_see(code.body_text, code); }
tokens parameter_tokens_of(const kernel_code& code) { return as_devices_see(code.parameter_text, code); }

std::string_view source_name(const kernel_code& code) noexcept {
  return code.written_name.empty() ? code.name : code.written_name;
}

std::string identifier_of(std::string_view kernel_name) {
  std::string all;
  for (const char c : kernel_name) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') all += c;
    else if (c == '-') all += "minus_";
    else if (c != '>' && !all.ends_with('_')) all += '_';
  }
  return all;
}

}  // namespace stretto::device
