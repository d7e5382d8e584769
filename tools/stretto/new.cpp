// new.cpp - stretto new module NAME: a folder with a module that builds, has an example and passes its tests.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stretto/error.hpp>

#include "stretto/arguments.hpp"
#include "stretto/built_in_files.hpp"
#include "stretto/terminal.hpp"
#include "stretto/text_file.hpp"

namespace stretto::tools {
namespace {

namespace fs = std::filesystem;

// The word in the names and texts of modules/starter that stands for the name.
constexpr std::string_view placeholder = "starter";

std::string with_name(std::string_view text, std::string_view name) {
  std::string all;
  for (std::size_t at; (at = text.find(placeholder)) != text.npos; text.remove_prefix(at + placeholder.size()))
    all.append(text.substr(0, at)).append(name);
  return all.append(text);
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A namespace and a target of CMake bear the name.
bool can_name_module(const std::string& name) {
  static constexpr std::array taken{
      "and",    "asm",      "auto",    "bool",   "break",  "case",     "catch",  "char",    "class",   "const",
      "delete", "do",       "double",  "else",   "enum",   "explicit", "export", "extern",  "false",   "float",
      "for",    "friend",   "goto",    "if",     "inline", "int",      "long",   "mutable", "new",     "not",
      "or",     "operator", "private", "public", "return", "short",    "signed", "sizeof",  "static",  "std",
      "struct", "stretto",  "switch",  "test",   "this",   "throw",    "true",   "try",     "typedef", "union",
      "using",  "virtual",  "void",    "while",  "xor",    "all",      "help",   "install", "library", "clean"};
  return !name.empty() && is_lower(name.front()) && name.back() != '_' && name.find("__") == name.npos &&
         std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; }) &&
         std::ranges::find(taken, name) == taken.end();
}

/// The nearest name that can be used: "Fast-IO" gives "fast_io".
std::string usable_name(const std::string& name) {
  std::string usable;
  for (const char c : name) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (is_lower(lower) || (is_digit(lower) && !usable.empty())) usable += lower;
    else if (!usable.empty() && usable.back() != '_') usable += '_';
  }
  while (usable.ends_with('_')) usable.pop_back();
  return can_name_module(usable) ? usable : usable.empty() ? "lights" : "my_" + usable;
}

void refuse_unusable(const std::string& kind, const std::string& name) {
  if (kind != "module")
    throw error("W66", fmt::format("stretto new does not make a \"{}\"", kind))
        .fact("made", "module")
        .remedy("stretto new module " + usable_name(name));
  if (!can_name_module(name))
    throw error("W66", fmt::format("a module cannot be named \"{}\"", name))
        .because(
            "the name is also that of a namespace in C++ and of a target of CMake: lower case letters, digits and _")
        .remedy("stretto new module " + usable_name(name));
}

}  // namespace

int run_new(const invocation& call) {
  arguments words(call);
  std::string kind, name;
  fs::path folder;
  words.add_option("KIND", kind, "module")->required();
  words.add_option("NAME", name, "the name of the module, its namespace and its folder")->required();
  words.add_option("--in", folder, "the folder in which that folder is made; else the current one")
      ->type_name("FOLDER");
  if (!words.read()) return 0;
  refuse_unusable(kind, name);

  folder /= name;
  std::error_code unreadable;
  if (fs::exists(folder, unreadable) && !fs::is_empty(folder, unreadable))
    throw error("W67", fmt::format("the folder \"{}\" has files already", folder.string()))
        .because("stretto new replaces no files")
        .remedy("choose another name, or --in another folder");
  for (const built_in_file& file : starter_module()) {
    const fs::path path = folder / with_name(file.path, name);
    fs::create_directories(path.parent_path());
    write_text_file(path.string(), with_name(file.text, name));
    print_text("written  {}\n", path.string());
  }
  print_text("try      cmake -S {0} -B {0}/build && cmake --build {0}/build && ctest --test-dir {0}/build\n",
             folder.string());
  return 0;
}

}  // namespace stretto::tools
