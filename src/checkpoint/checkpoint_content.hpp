// checkpoint_content.hpp - the content of a checkpoint, as listed in checkpoint.json.
//
// Threads     a value.
#pragma once

#include <stretto/checkpoint.hpp>

#include <map>

#include "checkpoint/checkpoint_folder.hpp"

namespace stretto::detail {

struct checkpoint_content {
  std::filesystem::path directory;
  std::string program, library;  // the builds that wrote it
  bool has_old_format = false;   // exchanged chunks cannot be detected
  std::uint32_t nodes = 0;
  using kept_map = std::map<std::string, saved_shape>;
  kept_map kept;
  std::map<std::uint32_t, kept_map> kept_by_nodes;  // of nodes that saved values of their own
  std::map<std::uint16_t, std::uint16_t> homes;     // home node of each node number in object names
  std::uint64_t names_made = 0;                     // the highest counter in object names
  std::uint64_t objects = 0, messages = 0;
  std::map<std::string, checkpoints::file_entry> files;

  /// The entry of a file. Throws C02 if the list has none.
  const checkpoints::file_entry& entry_of(const std::string& file) const;
};

}  // namespace stretto::detail
