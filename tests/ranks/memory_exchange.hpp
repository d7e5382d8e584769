// memory_exchange.hpp - exchanges among threads that stand for ranks, to create communicators without messages.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ranks/communicators/creation_exchange.hpp"

namespace stretto::test {

using exchanged_bytes = std::vector<std::byte>;

/// A place where a number of threads exchange bytes, again and again.
class meeting {
 public:
  explicit meeting(std::size_t size) : arriving_(size) {}

  /// The bytes of all, once all have come.
  std::vector<exchanged_bytes> exchange(std::size_t place, exchanged_bytes own) {
    std::unique_lock lock(mutex_);
    arriving_[place] = std::move(own);
    if (++arrived_ == arriving_.size()) {
      result_ = std::exchange(arriving_, std::vector<exchanged_bytes>(arriving_.size()));
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
    } else {
      changed_.wait(lock, [&, round = round_] { return round_ != round; });
    }
    return result_;  // the next round does not end before this thread calls the next time
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<exchanged_bytes> arriving_;
  std::vector<exchanged_bytes> result_;
  std::size_t arrived_ = 0;
  int round_ = 0;
};

/// Meetings by name.
class meeting_places {
 public:
  meeting& find(const std::string& name, std::size_t size) {
    const std::lock_guard lock(mutex_);
    auto& found = all_[name + "/" + std::to_string(size)];
    if (!found) found = std::make_unique<meeting>(size);
    return *found;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<meeting>> all_;
};

/// Of one rank: where it meets the others of its group, and its group's leader that of the other side.
class memory_exchange : public ranks::creation_exchange {
 public:
  memory_exchange(meeting& group, std::size_t place) : group_(group), place_(place) {}
  memory_exchange(meeting& group, std::size_t place, meeting& leaders, std::size_t side, std::size_t leader = 0)
      : group_(group), place_(place), leaders_(&leaders), side_(side), leader_(leader) {}

  void combine(std::span<std::uint64_t> values) override {
    for (const exchanged_bytes& each :
         group_.exchange(place_, ranks::bytes_of(std::span<const std::uint64_t>(values)))) {
      const auto others = ranks::values_of<std::uint64_t>(each);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] &= others[i];
    }
  }

  exchanged_bytes gather(std::span<const std::byte> own) override {
    exchanged_bytes all;
    for (const exchanged_bytes& each : group_.exchange(place_, {own.begin(), own.end()})) {
      all.insert(all.end(), each.begin(), each.end());
    }
    return all;
  }

  exchanged_bytes trade(std::span<const std::byte> own) override {
    exchanged_bytes others;
    if (place_ == leader_) others = leaders_->exchange(side_, {own.begin(), own.end()})[1 - side_];
    return group_.exchange(place_, others)[leader_];
  }

 private:
  meeting& group_;
  std::size_t place_;
  meeting* leaders_ = nullptr;
  std::size_t side_ = 0;
  std::size_t leader_ = 0;
};

}  // namespace stretto::test
