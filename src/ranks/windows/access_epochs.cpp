#include "ranks/windows/access_epochs.hpp"

#include <string>
#include <utility>

#include "ranks/call_error.hpp"

namespace stretto::ranks {
namespace {

[[noreturn]] void refuse_epoch(const std::string& text) { throw call_error(error_class::rma_sync, text); }

}  // namespace

void access_epochs::check_access(int target) {
  if (all_locked_ || targets_[static_cast<std::size_t>(target)] != access::none) [[likely]]
    return;
  const fence_state fence = fence_.load(std::memory_order_relaxed);
  if (locks_ > 0 || is_started_ || fence == fence_state::none)
    refuse_epoch("no epoch is open in which rank " + std::to_string(target) + " may be accessed");
  if (fence == fence_state::passed) fence_.store(fence_state::used, std::memory_order_relaxed);
}

epoch_kind access_epochs::kind_of_epoch(int target) const {
  if (all_locked_) return epoch_kind::shared_lock;
  switch (state_of(target)) {
    case access::started: return epoch_kind::started;
    case access::locked: return epoch_kind::shared_lock;
    case access::locked_exclusively: return epoch_kind::exclusive_lock;
    case access::none: break;
  }
  return is_in_epoch_of_fence() ? epoch_kind::fence : epoch_kind::none;
}

void access_epochs::check_locked(int target) const {
  if (!all_locked_ && !is_locked(target)) refuse_epoch("rank " + std::to_string(target) + " is not locked");
}

void access_epochs::check_any_locked() const {
  if (!all_locked_ && locks_ == 0) refuse_epoch("no rank is locked");
}

void access_epochs::check_closed() const {
  if (is_started_) refuse_epoch("the epoch that MPI_Win_start began is not complete");
  if (is_exposed_) refuse_epoch("the epoch that MPI_Win_post began has not ended");
  if (all_locked_ || locks_ > 0) refuse_epoch("a rank is locked");
}

void access_epochs::pass_fence(succession what) {
  fence_.store(what == succession::no_accesses ? fence_state::none : fence_state::passed, std::memory_order_relaxed);
}

void access_epochs::check_no_fence(const char* call) const {
  if (is_in_epoch_of_fence()) refuse_epoch(std::string(call) + " follows accesses that no MPI_Win_fence has ended");
}

void access_epochs::check_start() const {
  check_no_fence("MPI_Win_start");
  if (is_started_) refuse_epoch("MPI_Win_start was called before, without MPI_Win_complete");
  if (all_locked_ || locks_ > 0) refuse_epoch("MPI_Win_start was called while a rank is locked");
}

void access_epochs::start(std::span<const int> targets) {
  is_started_ = true;
  started_.assign(targets.begin(), targets.end());
  for (const int target : targets) targets_[static_cast<std::size_t>(target)] = access::started;
}

std::vector<int> access_epochs::complete() {
  if (!is_started_) refuse_epoch("MPI_Win_start was not called before");
  is_started_ = false;
  for (const int target : started_) targets_[static_cast<std::size_t>(target)] = access::none;
  return std::exchange(started_, {});
}

void access_epochs::check_post() const {
  check_no_fence("MPI_Win_post");
  if (is_exposed_) refuse_epoch("MPI_Win_post was called before, without MPI_Win_wait");
}

void access_epochs::check_exposed() const {
  if (!is_exposed_) refuse_epoch("MPI_Win_post was not called before");
}

void access_epochs::check_lock(int target) const {
  check_no_fence("MPI_Win_lock");
  if (is_started_) refuse_epoch("the epoch that MPI_Win_start began is not complete");
  if (all_locked_) refuse_epoch("all ranks are locked");
  if (is_locked(target)) refuse_epoch("rank " + std::to_string(target) + " is locked by this rank");
}

void access_epochs::lock(int target, lock_mode mode) {
  const bool is_shared = mode == lock_mode::shared;
  targets_[static_cast<std::size_t>(target)] = is_shared ? access::locked : access::locked_exclusively;
  ++locks_;
}

void access_epochs::unlock(int target) {
  if (!is_locked(target)) refuse_epoch("MPI_Win_lock was not called before for rank " + std::to_string(target));
  targets_[static_cast<std::size_t>(target)] = access::none;
  --locks_;
}

void access_epochs::check_lock_all() const {
  check_no_fence("MPI_Win_lock_all");
  if (is_started_) refuse_epoch("the epoch that MPI_Win_start began is not complete");
  if (all_locked_ || locks_ > 0) refuse_epoch("a rank is locked");
}

void access_epochs::unlock_all() {
  if (!all_locked_) refuse_epoch("MPI_Win_lock_all was not called before");
  all_locked_ = false;
}

}  // namespace stretto::ranks
