// kernel_rules.hpp - compile-time checks of the text of kernel bodies, and the keys of texts.
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto::detail {

// Constructs that not every device supports. The compiler prints the name of the function as the message.
void a_kernel_cannot_use_new_or_delete();
void a_kernel_cannot_throw_or_catch();
void a_kernel_cannot_use_goto();
void a_kernel_cannot_use_cpp_casts_templates_or_this();
void a_kernel_cannot_name_namespaces();
void a_kernel_cannot_use_static_or_thread_local();
void a_region_cannot_return();
void a_kernel_cannot_cast_several_values_write_float4_of_them();

/// Whether `text` begins with a cast of several values, (float4)(x, y, z, w), which is a vector in OpenCL but only w in
/// C++.
consteval bool casts_several_values(const char* text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t'; };
  std::size_t i = 1;
  while (is_blank(text[i])) ++i;
  const std::size_t name = i;
  for (char c = text[i];
       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (i > name && c >= '0' && c <= '9') || c == '_' || c == ':';)
    c = text[++i];
  if (i == name) return false;
  while (is_blank(text[i])) ++i;
  if (text[i] != ')') return false;
  do ++i;
  while (is_blank(text[i]));
  if (text[i] != '(') return false;
  int depth = 0;
  for (; text[i]; ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == ']' || text[i] == '}') && --depth == 0) return false;
    if (text[i] == ',' && depth == 1) return true;
  }
  return false;
}

/// Checks the text of a body. Fails to compile, with the name of the rule, if a device could not compile it.
consteval bool body_is_portable(const char* text, bool in_groups) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const auto is = [](const char* word, std::size_t length, const char* name) {
    std::size_t i = 0;
    while (i < length && name[i] && word[i] == name[i]) ++i;
    return i == length && !name[i];
  };
  bool may_cast = true;  // false behind the name of a call or a condition
  for (std::size_t i = 0; text[i];) {
    if (text[i] == '(' && may_cast && casts_several_values(text + i))
      a_kernel_cannot_cast_several_values_write_float4_of_them();
    if (text[i] != ' ') may_cast = text[i] != ')' && text[i] != ']' && !letter(text[i]);
    if (text[i] == '"') {
      for (++i; text[i] && text[i] != '"'; ++i) i += text[i] == '\\';
      i += text[i] == '"';
    } else if (letter(text[i])) {
      std::size_t length = 1;
      while (letter(text[i + length])) ++length;
      const char* const w = text + i;
      const auto any = [&](auto... names) { return (is(w, length, names) || ...); };
      if (any("new", "delete")) a_kernel_cannot_use_new_or_delete();
      if (any("throw", "try", "catch")) a_kernel_cannot_throw_or_catch();
      if (any("goto")) a_kernel_cannot_use_goto();
      if (any("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "template", "typename", "decltype",
              "this"))
        a_kernel_cannot_use_cpp_casts_templates_or_this();
      if (any("std")) a_kernel_cannot_name_namespaces();
      if (any("static", "thread_local", "constexpr")) a_kernel_cannot_use_static_or_thread_local();
      if (in_groups && any("return")) a_region_cannot_return();
      may_cast = any("return", "else", "case", "do");
      i += length;
    } else {
      ++i;
    }
  }
  return true;
}

/// The key of a text in a file: a hash.
consteval std::uint64_t key_of(std::string_view file, std::string_view parameters, std::string_view body) {
  std::uint64_t key = 14695981039346656037u;  // FNV-1a
  for (const std::string_view text : {file, parameters, body}) {
    for (const char c : text) key = (key ^ static_cast<unsigned char>(c)) * 1099511628211u;
    key = (key ^ 0xff) * 1099511628211u;
  }
  return key;
}

/// Whether a body contains this word.
consteval bool says(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

}  // namespace stretto::detail

STRETTO_API_END
