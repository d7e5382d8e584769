// open_file.cpp - who performs an access: the rank itself, a thread that waits for the disk, or one rank for all.
#include "ranks/files/open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <utility>

#include "ranks/files/aggregation.hpp"
#include "ranks/files/posix_errors.hpp"

namespace stretto::ranks {
namespace {

/// A rank transfers so many bytes itself if no disk has to be waited for.
constexpr std::int64_t short_access = 256 << 10;

using file_ref = counted_ref<open_file>;

/// Runs a part of an access; returns the failure.
std::optional<call_error> failure_of(const std::function<void()>& part) {
  try {
    part();
    return {};
  } catch (const call_error& error) {
    return error;
  } catch (const std::exception& error) {
    return call_error(error_class::no_memory, error.what());
  }
}

/// One rank's access.
class single_access final : public file_work {
 public:
  single_access(file_ref file, file_request& access, access_mode mode)
      : file_(std::move(file)), access_(access), mode_(mode), transfer_(file_->descriptor(), access.access()) {}

  /// Whether it has ended without waiting for a disk.
  bool try_now() {
    bool has_ended = false;
    failure_ = failure_of([&] { has_ended = transfer_.go_on(disk_wait::refused); });
    return has_ended || failure_;
  }
  void perform() noexcept override {
    const auto rest = [&] { transfer_.go_on(disk_wait::allowed); };
    failure_ = failure_of([&] { mode_ == access_mode::atomic ? file_->exclude_others(rest) : rest(); });
  }
  void finish() noexcept override {
    access_.set_bytes(transfer_.bytes());
    if (failure_) access_.set_failure(*failure_);
    access_.end();
  }

 private:
  const file_ref file_;
  file_request& access_;
  const access_mode mode_;
  file_transfer transfer_;
  std::optional<call_error> failure_;
};

/// The accesses of all ranks, performed by several threads.
struct common_access {
  common_access(file_ref of, const std::vector<file_request*>& all, std::vector<file_access> accesses)
      : file(std::move(of)), requests(all), ranges(file->descriptor(), std::move(accesses)) {}

  /// Transfers ranges until none is left. False: the rest would wait for a disk.
  bool transfer_ranges(disk_wait wait) {
    bool has_ended = true;
    const auto failed = failure_of([&] {
      while (has_ended && (rest = ranges.take_range())) has_ended = ranges.transfer(*rest, wait);
    });
    if (failed) note(*failed);
    return has_ended || failed;
  }
  void note(const call_error& failed) {
    const std::scoped_lock lock(mutex);
    failure = failed;
  }
  void end() {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i]->set_bytes(ranges.bytes(i));
      if (failure) requests[i]->set_failure(*failure);
      requests[i]->end();
    }
  }

  const file_ref file;
  const std::vector<file_request*> requests;
  aggregation ranges;
  std::optional<aggregation::range> rest;  // before threads begin: taken, not transferred
  std::atomic<int> threads{1};
  std::mutex mutex;
  std::optional<call_error> failure;
};

class part_of_common_access final : public file_work {
 public:
  explicit part_of_common_access(std::shared_ptr<common_access> of, std::optional<aggregation::range> first)
      : of_(std::move(of)), next_(std::move(first)) {}

  void perform() noexcept override {
    const auto failed = failure_of([&] {
      if (!next_) next_ = of_->ranges.take_range();
      for (; next_; next_ = of_->ranges.take_range()) of_->ranges.transfer(*next_, disk_wait::allowed);
    });
    if (failed) of_->note(*failed);
  }
  void finish() noexcept override {
    if (of_->threads.fetch_sub(1, std::memory_order_acq_rel) == 1) of_->end();
  }

 private:
  const std::shared_ptr<common_access> of_;
  std::optional<aggregation::range> next_;
};

/// An action that may block, for a rank that waits meanwhile.
class blocking_action final : public file_work {
 public:
  blocking_action(const std::function<void()>& action, file_request& waiting) : action_(action), waiting_(waiting) {}

  void perform() noexcept override { failure_ = failure_of(action_); }
  void finish() noexcept override {
    if (failure_) waiting_.set_failure(*failure_);
    waiting_.end();
  }

 private:
  const std::function<void()>& action_;
  file_request& waiting_;
  std::optional<call_error> failure_;
};

}  // namespace

open_file::open_file(int descriptor, std::string path, int ranks, file_workers& workers)
    : descriptor_(descriptor), path_(std::move(path)), ranks_(ranks), workers_(workers) {}

open_file::~open_file() { ::close(descriptor_); }

std::int64_t open_file::bytes() const {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0) throw_file_error(errno, "the size of \"" + path_ + '"');
  return status.st_size;
}

void open_file::set_bytes(std::int64_t bytes) {
  if (::ftruncate(descriptor_, bytes) != 0) throw_file_error(errno, "set the size of \"" + path_ + '"');
}

void open_file::preallocate(std::int64_t bytes) {
  if (bytes == 0) return;
  const int error = ::posix_fallocate(descriptor_, 0, bytes);
  if (error) throw_file_error(error, "preallocate \"" + path_ + '"');
}

void open_file::exclude_others(const std::function<void()>& access) {
  const std::scoped_lock lock(atomic_accesses_);
  struct flock whole = {};  // of other processes
  whole.l_type = (::fcntl(descriptor_, F_GETFL) & O_ACCMODE) == O_RDONLY ? F_RDLCK : F_WRLCK;
  whole.l_whence = SEEK_SET;
  while (::fcntl(descriptor_, F_OFD_SETLKW, &whole) != 0) {
    if (errno != EINTR) throw_file_error(errno, "lock \"" + path_ + '"');
  }
  const auto failed = failure_of(access);
  whole.l_type = F_UNLCK;
  ::fcntl(descriptor_, F_OFD_SETLK, &whole);
  if (failed) throw call_error(*failed);
}

void open_file::start(file_request& access, access_mode mode) {
  access.activate();
  start_active(access, mode);
}

void open_file::start_active(file_request& access, access_mode mode) {
  auto work = std::make_unique<single_access>(file_ref(this), access, mode);
  const bool is_short = access.access().bytes() <= short_access && mode == access_mode::usual;
  if (is_short && work->try_now()) return work->finish();
  workers_.submit(std::move(work));
}

void open_file::join(file_request& access, access_mode mode, std::uint64_t turn) {
  access.activate();
  std::vector<file_request*> all;
  {
    const std::scoped_lock lock(mutex_);
    auto& joined = joining_[turn];
    joined.push_back(&access);
    if (std::ssize(joined) < ranks_) return;
    all.swap(joined);
    joining_.erase(turn);
  }
  start_together(all, mode);
}

void open_file::start_together(const std::vector<file_request*>& requests, access_mode mode) {
  std::vector<file_access> accesses;
  for (const file_request* one : requests) accesses.push_back(one->access());
  const auto direction = accesses.front().direction;
  const bool are_alike =
      std::all_of(accesses.begin(), accesses.end(), [&](const file_access& one) { return one.direction == direction; });
  if (!are_alike || mode == access_mode::atomic || !aggregation::is_useful(accesses)) {
    for (file_request* one : requests) start_active(*one, mode);
    return;
  }
  const auto common = std::make_shared<common_access>(file_ref(this), requests, std::move(accesses));
  const std::int64_t bytes = common->ranges.total_bytes();
  if (bytes <= short_access && common->transfer_ranges(disk_wait::refused)) return common->end();
  const int threads = static_cast<int>(std::clamp<std::int64_t>(bytes >> 22, 1, workers_.threads()));
  common->threads = threads;
  for (int i = 0; i < threads; ++i)
    workers_.submit(std::make_unique<part_of_common_access>(common, std::exchange(common->rest, std::nullopt)));
}

void open_file::run_blocking(const std::function<void()>& action) {
  file_request_owner waiting(new file_request(nullptr, {}, {}));
  waiting->activate();
  workers_.submit(std::make_unique<blocking_action>(action, *waiting));
  wait_for(*waiting);
  if (waiting->failure()) throw call_error(*waiting->failure());
}

void open_file::synchronize() {
  run_blocking([this] {
    if (::fsync(descriptor_) == 0 || errno == EINVAL || errno == EROFS) return;  // or it is no file of a disk
    throw_file_error(errno, "synchronize \"" + path_ + '"');
  });
}

}  // namespace stretto::ranks
