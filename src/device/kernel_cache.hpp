// kernel_cache.hpp - what devices' compilers made, kept on disk between runs.
//
// Threads     any, also of several processes: files are written aside and renamed.
// Cost        find: one file read; put: one written. Nothing where the folder cannot be used.
// Invariants  what find returns is what put was given for the same key: both are in the file, with a check sum.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stretto::device {

class kernel_cache {
 public:
  /// An empty path: nothing is kept.
  explicit kernel_cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// $XDG_CACHE_HOME/stretto/kernels, or ~/.cache/stretto/kernels.
  static std::filesystem::path default_folder();

  std::optional<std::string> find(std::string_view key) const;
  /// What cannot be written is not kept; nothing else happens.
  void put(std::string_view key, std::string_view content) const;

 private:
  std::filesystem::path file_of(std::string_view key) const;
  std::filesystem::path folder_;
};

}  // namespace stretto::device
