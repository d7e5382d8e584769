// demo_on_buffers.hpp - shared by the demonstrations on distributed buffers: options, start on nodes, pictures.
//
// Threads     one caller.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "stretto/arguments.hpp"

namespace stretto::tools {

class demo_on_buffers {
 public:
  explicit demo_on_buffers(const invocation& call);

  CLI::Option* number(const std::string& flag, int& value, const std::string& text, CLI::Range range);
  arguments& words() { return words_; }

  /// Adds the last options and reads all; `pictures` says what goes to the folder. An exit code if nothing is left to
  /// do: help was printed, or other nodes have done it.
  ///   throws  as arguments::read; W15 if nothing can be written to the folder
  std::optional<int> read(std::string_view pictures = "where the pictures go");
  /// Runs a program on all nodes; it returns whether its check holds. The exit code: 0 if it does.
  int run(const std::function<bool()>& program) const;

  bool json() const { return json_; }
  std::filesystem::path file(std::string_view name) const { return out_ / name; }
  /// "on 3 nodes"
  static std::string on_nodes();
  static void print(const nlohmann::ordered_json& all);

 private:
  const invocation& call_;
  arguments words_;
  std::string nodes_;
  std::filesystem::path out_ = "out";
  bool json_ = false;
};

/// Writes a picture that is text.
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace stretto::tools
