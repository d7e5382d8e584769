// kernel_cache.hpp - compiled kernels on disk, kept between runs.
//
// Threads     any, also of several processes: files are written under a temporary name and renamed.
// Cost        find: one file read; put: one file written. Nothing if the folder cannot be used.
// Invariants  find returns what put was given for the same key: the file holds both, with a checksum.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stretto::device {

class kernel_cache {
 public:
  /// An empty path disables the cache.
  explicit kernel_cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// $XDG_CACHE_HOME/stretto/kernels, or ~/.cache/stretto/kernels.
  static std::filesystem::path default_folder();

  std::optional<std::string> find(std::string_view key) const;
  /// A failure to write is ignored.
  void put(std::string_view key, std::string_view content) const;

 private:
  std::filesystem::path file_of(std::string_view key) const;
  std::filesystem::path folder_;
};

}  // namespace stretto::device
