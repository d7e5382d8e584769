// model_network.hpp - a network in memory for tests of schedules: it matches messages as MPI does, and completes
// transfers in random order on the thread of the test.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "ranks/collectives/schedule_run.hpp"

namespace stretto::test {

/// The ranks of one communicator, or of both groups of an intercommunicator.
class model_network {
 public:
  /// A remote group of 0 ranks means none.
  model_network(std::uint64_t seed, int ranks, int remote_ranks = 0) : random_(seed), ranks_(ranks) {
    for (int i = 0; i < ranks + remote_ranks; ++i) ports_.push_back(std::make_unique<port>(*this, i));
  }

  /// The port of a rank. Ranks of the remote group have the numbers behind those of the first one.
  ranks::transfer_port& port_of(int number) { return *ports_[static_cast<std::size_t>(number)]; }

  /// Runs until nothing can happen any more.
  void run_events() {
    while (!events_.empty()) run_event();
  }
  void run_some_events(std::int64_t most) {
    for (; most > 0 && !events_.empty(); --most) run_event();
  }
  /// Runs until nothing can happen any more; afterwards no message or receive may be left.
  void run() {
    run_events();
    for (const auto& [key, waiting] : queues_) {
      REQUIRE(waiting.sends.empty());
      REQUIRE(waiting.receives.empty());
    }
  }

  /// The next receives that complete do so with an error, as many as `transfers`.
  void fail_next(ranks::error_class error, int transfers) {
    error_ = error;
    failures_ = transfers;
  }
  /// How many messages were sent.
  std::int64_t messages() const { return messages_; }

 private:
  /// A message that was sent. Eager data was copied at once.
  struct sent_message {
    ranks::schedule_transfer transfer;
    bool is_eager = false;
    std::vector<std::byte> data;
  };
  /// A message and its receive, or the end of a transfer.
  struct event {
    sent_message message;  // or the transfer that ends
    bool is_match = false;
    ranks::schedule_transfer receive;
    ranks::error_class error = ranks::error_class::success;
  };
  struct queue {
    std::deque<sent_message> sends;
    std::deque<ranks::schedule_transfer> receives;
  };
  struct port : ranks::transfer_port {
    port(model_network& of, int is) : network(of), number(is) {}
    void post_send(const ranks::schedule_transfer& transfer) override { network.send(number, transfer); }
    void post_receive(const ranks::schedule_transfer& transfer) override { network.receive(number, transfer); }
    model_network& network;
    int number;
  };

  static std::vector<std::byte> bytes_of(const ranks::data_part& part) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(part.bytes()));
    ranks::copy_part(ranks::data_part(bytes.data(), part.bytes()), part);
    return bytes;
  }

  /// The number of the peer of the rank with the number `self`.
  int number_of(int self, const ranks::peer_rank& peer) const {
    const bool is_in_second = (self >= ranks_) != (peer.side == ranks::group_side::remote);
    return peer.rank + (is_in_second ? ranks_ : 0);
  }
  /// The rank in its group.
  int rank_of(int number) const { return number >= ranks_ ? number - ranks_ : number; }

  void send(int from, const ranks::schedule_transfer& transfer) {
    ++messages_;
    const int to = number_of(from, transfer.peer);
    REQUIRE(to < static_cast<int>(ports_.size()));
    sent_message message{transfer, random_() % 3 == 0, {}};
    if (message.is_eager) message.data = bytes_of(transfer.data);
    const bool completes_later = message.is_eager && random_() % 2 == 0;
    const bool completes_now = message.is_eager && !completes_later;
    queue& waiting = queues_[{to, rank_of(from), transfer.tag}];
    waiting.sends.push_back(std::move(message));
    if (completes_later) end(transfer);
    // False: the run is not suspended, for it is the caller.
    if (completes_now) REQUIRE_FALSE(transfer.run->complete(transfer.number));
    match(waiting);
  }
  void receive(int at, const ranks::schedule_transfer& transfer) {
    // Overwrites the buffer, so that a step which reads it before the data has come gets wrong values.
    const std::vector<std::byte> rubbish(static_cast<std::size_t>(transfer.data.bytes()), std::byte{0xee});
    ranks::copy_part(transfer.data, ranks::data_part(rubbish.data(), transfer.data.bytes()));
    queue& waiting = queues_[{at, transfer.peer.rank, transfer.tag}];
    waiting.receives.push_back(transfer);
    match(waiting);
  }
  void run_event() {
    std::swap(events_[random_() % events_.size()], events_.back());
    const event next = std::move(events_.back());
    events_.pop_back();
    if (next.is_match) deliver(next);
    else finish(next.message.transfer, next.error);
  }
  void match(queue& waiting) {
    while (!waiting.sends.empty() && !waiting.receives.empty()) {
      sent_message& message = waiting.sends.front();
      events_.push_back({std::move(message), true, waiting.receives.front()});
      waiting.sends.pop_front();
      waiting.receives.pop_front();
    }
  }
  void deliver(const event& matched) {
    const sent_message& message = matched.message;
    const std::vector<std::byte> bytes = message.is_eager ? message.data : bytes_of(message.transfer.data);
    REQUIRE(std::ssize(bytes) == matched.receive.data.bytes());
    ranks::copy_part(matched.receive.data, ranks::data_part(bytes.data(), std::ssize(bytes)));
    if (!message.is_eager) end(message.transfer);
    const bool fails = failures_ > 0;
    if (fails) --failures_;
    end(matched.receive, fails ? error_ : ranks::error_class::success);
  }
  void end(const ranks::schedule_transfer& transfer, ranks::error_class error = ranks::error_class::success) {
    events_.push_back({{transfer, false, {}}, false, {}, error});
  }
  void finish(const ranks::schedule_transfer& transfer, ranks::error_class error) {
    if (transfer.run->complete(transfer.number, error)) transfer.run->advance();
  }

  std::mt19937_64 random_;
  int ranks_;
  std::vector<std::unique_ptr<port>> ports_;
  std::map<std::tuple<int, int, int>, queue> queues_;  // receiver, sender's rank, tag
  std::vector<event> events_;
  std::int64_t messages_ = 0;
  ranks::error_class error_ = ranks::error_class::success;
  int failures_ = 0;
};

/// One schedule for each rank of a network.
class model_job {
 public:
  model_job(std::uint64_t seed, int ranks, int remote_ranks = 0) : network(seed, ranks, remote_ranks) {
    for (int i = 0; i < ranks + remote_ranks; ++i) {
      schedules.push_back(std::make_unique<ranks::schedule>());
      runs.push_back(std::make_unique<ranks::schedule_run>(network.port_of(i)));
    }
  }

  ranks::schedule& operator[](int rank) { return *schedules[static_cast<std::size_t>(rank)]; }
  void start(int tag = 0) {
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i]->start(*schedules[i], tag);
  }
  void run(int tag = 0) {
    start(tag);
    network.run();
    require_ended();
  }
  void require_ended() const {
    for (const auto& each : runs) REQUIRE(each->has_ended());
  }

  model_network network;
  std::vector<std::unique_ptr<ranks::schedule>> schedules;
  std::vector<std::unique_ptr<ranks::schedule_run>> runs;
};

}  // namespace stretto::test
