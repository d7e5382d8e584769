// file_opening.cpp - opens, locks and deletes files.
#include "ranks/files/file_opening.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <memory>

#include "ranks/files/posix_errors.hpp"

namespace stretto::ranks {
namespace {

/// A descriptor, or the errno of what failed.
struct opened_descriptor {
  int number = -1;
  int error = 0;
};

int flags_of(file_modes modes) {
  int flags = O_CLOEXEC;
  flags |= modes.has(file_mode::read_write) ? O_RDWR : modes.can_write() ? O_WRONLY : O_RDONLY;
  if (modes.has(file_mode::create)) flags |= O_CREAT;
  if (modes.has(file_mode::exclusive)) flags |= O_EXCL;
  return flags;
}

/// Ranks that open a file alone hold it exclusively until it is closed, by the descriptor of the first one; all others
/// share it. A file system without locks has no such check.
enum class holding : std::uint8_t { shared, exclusive, by_first_rank };

int lock_opened(int descriptor, holding how) {
  if (how == holding::by_first_rank) return 0;
  const int kind = how == holding::exclusive ? LOCK_EX : LOCK_SH;
  return ::flock(descriptor, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK ? 0 : EBUSY;
}

opened_descriptor open_descriptor(const std::string& path, int flags, holding how) {
  opened_descriptor opened{::open(path.c_str(), flags, 0666), 0};
  if (opened.number < 0) return {-1, errno};
  struct stat status;
  if (::fstat(opened.number, &status) != 0) opened.error = errno;
  else if (S_ISDIR(status.st_mode)) opened.error = EISDIR;
  else opened.error = lock_opened(opened.number, how);
  if (opened.error) ::close(opened.number);
  return opened;
}

/// Each rank sends it to all before the file is open everywhere.
struct opening_rank {
  int modes = 0;
  int node = 0;
  int error = 0;
};

/// The file that a rank has opened for its node.
struct node_opening {
  open_file* file = nullptr;
  int error = 0;
};

bool leads_its_node(const std::vector<opening_rank>& all, std::size_t rank) {
  return std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank),
                      [&](const opening_rank& one) { return one.node == all[rank].node; });
}

std::size_t leader_of(const std::vector<opening_rank>& all, int node) {
  const auto is_there = [&](const opening_rank& one) { return one.node == node; };
  return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_there) - all.begin());
}

[[noreturn]] void refuse_opening(int error, const std::string& path) {
  throw_file_error(error, "open \"" + path + '"');
}

}  // namespace

file_modes::file_modes(int bits) : bits_(bits) {
  const auto refuse_modes = [](const char* why) { throw call_error(error_class::amode, why); };
  constexpr int known = 511;
  const int direction = static_cast<int>(file_mode::read_only) | static_cast<int>(file_mode::read_write) |
                        static_cast<int>(file_mode::write_only);
  if (bits & ~known) refuse_modes("amode has unknown bits");
  if (std::popcount(static_cast<unsigned>(bits & direction)) != 1)
    refuse_modes("amode must have one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR");
  if (has(file_mode::read_only) && (has(file_mode::create) || has(file_mode::exclusive)))
    refuse_modes("MPI_MODE_RDONLY excludes MPI_MODE_CREATE and MPI_MODE_EXCL");
  if (has(file_mode::read_write) && has(file_mode::sequential))
    refuse_modes("MPI_MODE_RDWR excludes MPI_MODE_SEQUENTIAL");
}

opened_file open_together(creation_exchange& exchange, const file_place& place, const std::string& path,
                          file_modes modes, file_workers& workers) {
  const bool is_first = place.rank == 0;
  const bool is_alone = modes.has(file_mode::unique_open);
  opened_descriptor own;
  if (is_first) own = open_descriptor(path, flags_of(modes), is_alone ? holding::exclusive : holding::shared);
  const auto all = gather_value(exchange, opening_rank{modes.bits(), place.node, own.error});
  const bool is_same =
      std::all_of(all.begin(), all.end(), [&](const opening_rank& r) { return r.modes == all[0].modes; });
  opened_file opened;
  opened.leads_node = leads_its_node(all, static_cast<std::size_t>(place.rank));
  if (opened.leads_node && !is_first && all[0].error == 0)
    own = open_descriptor(path, flags_of(modes) & ~(O_CREAT | O_EXCL),
                          is_alone ? holding::by_first_rank : holding::shared);
  const auto sharing =
      std::count_if(all.begin(), all.end(), [&](const opening_rank& r) { return r.node == place.node; });
  opened.is_on_one_node = sharing == std::ssize(all);
  if (own.number >= 0 && !own.error)
    opened.file = make_counted<open_file>(own.number, path, static_cast<int>(sharing), workers);
  const auto made = gather_value(exchange, node_opening{opened.file.get(), all[0].error ? all[0].error : own.error});
  for (const node_opening& one : made) {
    if (one.error) refuse_opening(one.error, path);
  }
  if (!is_same) throw call_error(error_class::not_same, "amode is not the same on all ranks");
  opened.file = counted_ref<open_file>(made[leader_of(all, place.node)].file);
  return opened;
}

void do_for_all(creation_exchange& exchange, bool is_first, const std::function<void()>& action) {
  std::unique_ptr<call_error> failed;
  try {
    if (is_first) action();
  } catch (const call_error& error) {
    failed = std::make_unique<call_error>(error);
  }
  const auto classes = gather_value(exchange, failed ? static_cast<int>(failed->which()) : 0);
  if (failed) throw call_error(*failed);
  for (const int which : classes) {
    if (which) throw call_error(static_cast<error_class>(which), "the call failed in another rank");
  }
}

void check_same(creation_exchange& exchange, std::int64_t value, const char* name) {
  const auto all = gather_value(exchange, value);
  if (std::all_of(all.begin(), all.end(), [&](std::int64_t one) { return one == all[0]; })) return;
  throw call_error(error_class::not_same, std::string(name) + " is not the same on all ranks");
}

void delete_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0) throw_file_error(errno, "delete \"" + path + '"');
}

}  // namespace stretto::ranks
