// merged_file.hpp - the timelines of a job's nodes as one file, which chrome://tracing and ui.perfetto.dev open.
//
// Threads     pure, apart from the files.
// Cost        each file is read twice, through a window; memory: 70 bytes for each span, for the arrows between nodes.
// Invariants  (1) the file has the form and the invariants of trace/chrome.hpp. (2) each line keeps its text, except
//             its time, which counts from the earliest origin, and the ids of arrows and pairs, which become unique.
// Errors      T10, T11 as timeline_reader.hpp; T18 two files of one node; T17 the file cannot be written; an older one
//             stays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stretto::report {

struct merged_file {
  std::vector<std::uint32_t> nodes = {};  // whose timelines are in it
  std::uint64_t events = 0, arrows = 0;   // lines of the files; causes on other nodes
  std::string damage = {};                // what is missing; empty: nothing
};

/// A single file of node 0 includes those of the other nodes in the same folder: "run.json", "run.N1.json", ...
merged_file write_merged_file(std::vector<std::filesystem::path> of_nodes, const std::filesystem::path& to);

}  // namespace stretto::report
