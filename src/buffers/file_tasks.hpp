// file_tasks.hpp - what all nodes do together with a file: host tasks, each for its share, between tasks on node 0 that begin and end it.
//
// Threads     called by whoever submits; what is given runs in tasks.
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

inline constexpr std::uint64_t most_file_bytes_at_once = std::uint64_t{4} << 20;  // of a chunk, or of a piece of a file
inline constexpr std::uint64_t most_description_bytes = std::uint64_t{64} << 10;  // of a zarr.json

/// Work with files, behind what has been done with files before.
struct file_work {
  std::shared_ptr<buffers_state> state;
  std::uint32_t nodes = 1, self = 0;
  event before;  // of what has been done with files

  explicit file_work(const char* verb);
  void then(event e, const std::source_location& where);
};

/// Shown on node 0 for what takes long; else null.
std::unique_ptr<progress> progress_of(const char* what, std::uint64_t bytes, std::uint32_t self);

using share_function = std::function<void(const box& share, const detail::host_elements&)>;

/// Each node uses its share.
detail::range_mapper mapper_of_shares(std::vector<box> shares);
/// Waits, and throws the failure that all began with.
void wait_for_cause(event e, const std::source_location& where);

struct write_plan {
  std::function<void()> begin;  // on node 0
  share_function share;
  std::function<void()> end;    // on node 0
  std::vector<box> shares;
  std::filesystem::path to;
};
/// The future ends when all nodes know that it is written, or why not.
future<void> write_from_all_nodes(const detail::buffer_handle& h, write_plan w, const char* verb, const std::source_location& where);

struct read_plan {
  share_function share;
  std::vector<box> shares;
};
void read_on_all_nodes(const detail::buffer_handle& h, const read_plan& r, file_work& work, const std::source_location& where);

/// The same at once: when all nodes have read, they return, or throw what the first of those failed with that did.
void read_now_on_all_nodes(const detail::buffer_handle& h, const read_plan& r, const file_work& work, const std::source_location& where);
/// And f on every node.
void run_on_all_nodes(const char* name, std::function<void()> f, const file_work& work, const std::source_location& where);

/// What node 0 finds, on all nodes: at most `most_description_bytes`.
std::string broadcast_from_node_0(const char* name, std::function<std::string()> find, file_work& work, const std::source_location& where);

}  // namespace stretto::buffers
