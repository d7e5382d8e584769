// open_file.hpp - a file as the ranks of a node that have opened it together share it.
//
// Threads     any rank of the node.
// Invariants  (1) a request that start() or join() was given ends, whatever fails. (2) accesses in atomic mode exclude
//             one another, on this node and on others.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ranks/counted_ref.hpp"
#include "ranks/files/file_request.hpp"
#include "ranks/files/file_work.hpp"
#include "ranks/files/shared_position.hpp"

namespace stretto::ranks {

enum class access_mode : std::uint8_t { usual, atomic };

class open_file : public counted {
 public:
  /// Takes the descriptor over. `ranks` of this node share the file.
  open_file(int descriptor, std::string path, int ranks, file_workers& workers);
  ~open_file();

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  std::int64_t bytes() const;
  void set_bytes(std::int64_t bytes);
  void preallocate(std::int64_t bytes);

  /// The shared position if all ranks of the file are on this node.
  shared_position& position() { return position_; }

  /// Begins an access of one rank; the request is active afterwards. A short one that waits for no disk ends at once.
  void start(file_request& access, access_mode mode);
  /// Begins the part of a rank in the collective access number `turn` on this file: all ranks of the node join.
  void join(file_request& access, access_mode mode, std::uint64_t turn);
  /// Suspends the calling rank until all that was written is on the disk.
  void synchronize();
  /// Performs an access or a part of it without others.
  void exclude_others(const std::function<void()>& access);

 private:
  void start_active(file_request& access, access_mode mode);
  void start_together(const std::vector<file_request*>& accesses, access_mode mode);

  const int descriptor_;
  const std::string path_;
  const int ranks_;
  file_workers& workers_;
  local_position position_;
  std::mutex atomic_accesses_;
  std::mutex mutex_;                                             // guards what follows
  std::map<std::uint64_t, std::vector<file_request*>> joining_;  // by turn
};

}  // namespace stretto::ranks
