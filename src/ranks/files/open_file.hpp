// open_file.hpp - a file that ranks of a node have opened together (MPI_File_open) and share.
//
// A rank performs a short access itself if no disk has to be waited for; threads of `file_workers` perform all others.
//
// Threads     any thread of these ranks; exclude_others: those of file_workers.
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

/// As MPI_File_set_atomicity has set it.
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

  /// The shared file pointer. Only for files of which all ranks are on this node.
  shared_position& position() { return position_; }

  /// Begins an access of one rank; the request is active afterwards, and done if the rank has performed it.
  void start(file_request& access, access_mode mode);
  /// Adds the access of a rank to the collective access with the number `turn` on this file. The last rank of the node
  /// that joins begins it for all. The request is active afterwards.
  void join(file_request& access, access_mode mode, std::uint64_t turn);
  /// Calls the function on a thread of file_workers, and suspends the calling rank meanwhile. Throws the call_error
  /// that it throws.
  void run_blocking(const std::function<void()>& action);
  /// Suspends the calling rank until all data that was written is on the disk.
  void synchronize();
  /// Calls `access` while no other access in atomic mode is performed, on this node or another. Blocks the thread.
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
  std::map<std::uint64_t, std::vector<file_request*>> joining_;  // by turn, until all ranks have joined
};

}  // namespace stretto::ranks
