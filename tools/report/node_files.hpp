// node_files.hpp - finds the files of the other nodes of a job, in the folder of the file of node 0.
//
// Threads     pure, apart from reading the folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stretto::report {

struct node_files {
  std::vector<std::filesystem::path> there = {};
  std::vector<std::uint32_t> missing = {};  // nodes

  /// "the timelines of nodes 1 and 2 are not beside it"; empty if none is missing.
  std::string missing_text() const;
};

node_files find_node_files(const std::filesystem::path& first, std::uint32_t job_nodes);

}  // namespace stretto::report
