#include "device/kernel_signature.hpp"

#include <algorithm>
#include <cstdlib>

namespace stretto::device {

namespace {

int depth_change(const token& t) {
  if (t == "(" || t == "[" || t == "{") return 1;
  return t == ")" || t == "]" || t == "}" ? -1 : 0;
}

access mode_of(const token& t) {
  if (t == "in") return access::in;
  if (t == "out") return access::out;
  if (t == "inout") return access::inout;
  if (t == "reduce") return access::reduce;
  return t == "local" ? access::local : access::value;
}

fold_operator fold_named(const token& t) {
  if (t == "sum") return fold_operator::sum;
  if (t == "product") return fold_operator::product;
  if (t == "minimum") return fold_operator::minimum;
  if (t == "maximum") return fold_operator::maximum;
  if (t == "bit_and") return fold_operator::bit_and;
  if (t == "bit_or") return fold_operator::bit_or;
  return t == "bit_xor" ? fold_operator::bit_xor : fold_operator::none;
}

/// reduce<sum<int>> ends with two brackets, not with a shift.
tokens with_single_brackets(const tokens& all) {
  tokens out;
  for (const token& t : all) {
    out.push_back(t);
    if (t == ">>") out.back().spelling.resize(1), out.push_back(out.back());
  }
  return out;
}

/// Removes qualifiers: stretto::in becomes in, std::int32_t becomes int32_t.
tokens without_namespaces(tokens all) {
  for (std::size_t i = 0; i + 1 < all.size();)
    if (all[i].is == token::what::name && all[i + 1] == "::")
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i), all.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    else if (all[i] == "::") all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    else ++i;
  return all;
}

}  // namespace

std::size_t closing(const tokens& all, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < all.size(); ++i) {
    depth += depth_change(all[i]);
    if (depth == 0) return i;
  }
  return all.size();
}

std::vector<tokens> split_at_commas(const tokens& all, std::size_t first, std::size_t last) {
  std::vector<tokens> parts;
  if (first >= last) return parts;
  parts.emplace_back();
  int depth = 0;
  for (std::size_t i = first; i < last; ++i) {
    depth += depth_change(all[i]);
    // Angle brackets count as brackets only after the name of one of our templates; types contain no comparisons.
    if (all[i] == "<" && i > first && all[i - 1].is == token::what::name) ++depth;
    if (all[i] == ">" && depth > 0) --depth;
    if (depth == 0 && all[i] == ",") parts.emplace_back();
    else parts.back().push_back(all[i]);
  }
  return parts;
}

std::vector<written_parameter> parameters_of(const tokens& written) {
  const tokens text = with_single_brackets(written);
  std::vector<written_parameter> all;
  for (tokens& part : split_at_commas(text, 1, text.size() - 1)) {
    written_parameter p;
    p.name = part.back().spelling;
    part.pop_back();
    part = without_namespaces(std::move(part));
    std::erase_if(part, [](const token& t) { return t == "const" || t == "&"; });
    p.mode = part.size() > 2 && part[1] == "<" ? mode_of(part[0]) : access::value;
    p.type = part;
    if (p.is_array()) {
      const std::vector<tokens> inside = split_at_commas(part, 2, part.size() - 1);
      p.type = inside.front();
      p.dimensions = inside.size() > 1 ? std::atoi(inside[1].front().spelling.c_str()) : 1;
    }
    if (p.mode == access::reduce && p.type.size() > 3 && p.type[1] == "<") {
      p.fold = fold_named(p.type.front());
      p.type = tokens(p.type.begin() + 2, p.type.end() - 1);
    }
    all.push_back(std::move(p));
  }
  return all;
}

}  // namespace stretto::device
