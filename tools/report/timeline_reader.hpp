// timeline_reader.hpp - a timeline file of Stretto as a run.
//
// Threads     pure, apart from the file.
// Cost        about 0.8 s per million records with their arrows (340 MB); memory: 150 bytes per record, and a window of
//             the file; the whole file only where one event has more than a megabyte.
// Errors      T10 a file that cannot be read; T11 one that is no timeline of Stretto; T12 one without any record; T13
//             more records than are supported. A file that ends early or turns into something else keeps what stood
//             before: run::damage says so.
#pragma once

#include <filesystem>
#include <string_view>

#include "report/recorded_run.hpp"

namespace stretto::report {

/// Reads what trace/chrome.hpp writes. `title` names the text in errors.
run read_run(std::string_view text, std::string title);
/// That file; for node 0 of a job also those of the other nodes in the same folder (node_merge.hpp): "run.json",
/// "run.N1.json", ... run::damage names missing ones.
run read_run(const std::filesystem::path& file);

}  // namespace stretto::report
