// file_tasks.hpp - file operations of all nodes: a host task for each node's share, between tasks on node 0 that begin
// and end the file.
//
// Threads     called by the submitting thread; the functions given run in tasks.
#pragma once

#include <stretto/future.hpp>
#include <stretto/progress.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

// maximum of a chunk, or of a piece of a file
inline constexpr std::uint64_t most_file_bytes_at_once = std::uint64_t{4} << 20;
inline constexpr std::uint64_t most_description_bytes = std::uint64_t{64} << 10;  // maximum of a zarr.json

/// A file operation, ordered behind all earlier ones of this node.
struct file_work {
  std::shared_ptr<buffers_state> state;
  std::uint32_t nodes = 1, self = 0;
  event before;  // all earlier file operations

  explicit file_work(const char* verb);
  void then(event e, const std::source_location& where);
};

/// A progress display on node 0 for long operations; else null.
std::unique_ptr<progress> progress_of(const char* what, std::uint64_t bytes, std::uint32_t self);

using share_function = std::function<void(const box& share, const detail::host_elements&)>;

/// A mapper by which each node uses its share.
detail::range_mapper mapper_of_shares(std::vector<box> shares);
/// Waits, and throws the original failure instead of the poison.
void wait_for_cause(event e, const std::source_location& where);

struct write_plan {
  std::function<void()> begin;  // on node 0
  share_function share;
  std::function<void()> end;  // on node 0
  std::vector<box> shares;
  std::filesystem::path to;
};
/// The future ends on each node when the file is complete or has failed on any node.
future<void> write_from_all_nodes(const detail::buffer_handle& h, write_plan w, const char* verb,
                                  const std::source_location& where);

struct read_plan {
  share_function share;
  std::vector<box> shares;
};
void read_on_all_nodes(const detail::buffer_handle& h, const read_plan& r, file_work& work,
                       const std::source_location& where);

/// As read_on_all_nodes, but blocking: returns on all nodes after the read, or throws the failure of the first node
/// that failed.
void read_now_on_all_nodes(const detail::buffer_handle& h, const read_plan& r, const file_work& work,
                           const std::source_location& where);
/// Runs f on every node, likewise.
void run_on_all_nodes(const char* name, std::function<void()> f, const file_work& work,
                      const std::source_location& where);

/// Runs `find` on node 0 and returns its result on all nodes: at most `most_description_bytes`.
std::string broadcast_from_node_0(const char* name, std::function<std::string()> find, file_work& work,
                                  const std::source_location& where);

}  // namespace stretto::buffers
