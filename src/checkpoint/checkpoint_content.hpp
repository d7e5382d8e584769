// checkpoint_content.hpp - what a checkpoint holds, as checkpoint.json tells it.
//
// Threads     a value.
#pragma once

#include <stretto/checkpoint.hpp>

#include <map>

#include "checkpoint/checkpoint_folder.hpp"

namespace stretto::detail {

struct checkpoint_content {
  std::filesystem::path directory;
  std::string program, library;               // the builds that have written it
  bool has_old_format = false;              // its chunks may have been exchanged for one another, which nothing would show
  std::uint32_t nodes = 0;
  using kept_map = std::map<std::string, kept_shape>;
  kept_map kept;
  std::map<std::uint32_t, kept_map> kept_by_nodes;  // of those that keep something of their own
  std::map<std::uint16_t, std::uint16_t> homes;  // of the numbers in names of objects
  std::uint64_t names_made = 0;                  // the highest count in them
  std::uint64_t objects = 0, letters = 0;
  std::map<std::string, checkpoints::file_entry> files;

  /// Throws C02 if there is no such file in the list.
  const checkpoints::file_entry& entry_of(const std::string& file) const;
};

}  // namespace stretto::detail
