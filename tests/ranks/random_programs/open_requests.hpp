// open_requests.hpp - requests of a rank that are completed later, in one of the ways that MPI has.
#pragma once

#include "program_random.hpp"

class open_requests {
 public:
  /// `status` is set once the request is done.
  void add(MPI_Request request, MPI_Status* status) {
    requests_.push_back(request);
    statuses_.push_back(status);
    is_done_.push_back(false);
  }

  /// Waits for one of them, if there is any.
  void finish_one(program_random& random) {
    std::vector<int> open;
    for (int i = 0; i < size(); ++i)
      if (!is_done_[index(i)]) open.push_back(i);
    if (open.empty()) return;
    const int chosen = random.one_of(open);
    MPI_Status status;
    if (random.one_in(2)) {
      MPI_Wait(&requests_[index(chosen)], &status);
    } else {
      for (int flag = 0; !flag;) MPI_Test(&requests_[index(chosen)], &flag, &status);
    }
    set_done(chosen, status);
  }

  void finish_all(program_random& random) {
    switch (random.number(0, 5)) {
      case 0: finish_at_once(random); break;
      case 1: finish_by_any(random); break;
      case 2: finish_by_some(random); break;
      default: break;
    }
    while (done_ < size()) finish_one(random);
    for (auto& request : requests_)
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);  // a persistent one
    *this = {};
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  int size() const { return static_cast<int>(requests_.size()); }
  void set_done(int i, const MPI_Status& status) {
    if (is_done_[index(i)]) fail("request %d is done twice", i);
    is_done_[index(i)] = true;
    ++done_;
    *statuses_[index(i)] = status;
  }

  /// None may have been waited for: a completed persistent request would have an empty status.
  void finish_at_once(program_random& random) {
    if (done_ != 0) return;
    std::vector<MPI_Status> all(requests_.size());
    if (random.one_in(2)) {
      MPI_Waitall(size(), requests_.data(), all.data());
    } else {
      for (int flag = 0; !flag;) MPI_Testall(size(), requests_.data(), &flag, all.data());
    }
    for (int i = 0; i < size(); ++i) set_done(i, all[index(i)]);
  }

  void finish_by_any(program_random& random) {
    while (done_ < size()) {
      int done = MPI_UNDEFINED, flag = 1;
      MPI_Status status;
      if (random.one_in(2)) MPI_Waitany(size(), requests_.data(), &done, &status);
      else MPI_Testany(size(), requests_.data(), &done, &flag, &status);
      if (!flag) continue;
      if (done == MPI_UNDEFINED) fail("%d requests are open, and none is active", size() - done_);
      set_done(done, status);
    }
  }

  void finish_by_some(program_random& random) {
    std::vector<int> which(requests_.size());
    std::vector<MPI_Status> all(requests_.size());
    while (done_ < size()) {
      int done = 0;
      if (random.one_in(2)) MPI_Waitsome(size(), requests_.data(), &done, which.data(), all.data());
      else MPI_Testsome(size(), requests_.data(), &done, which.data(), all.data());
      if (done == MPI_UNDEFINED) fail("%d requests are open, and none is active", size() - done_);
      for (int i = 0; i < done; ++i) set_done(which[index(i)], all[index(i)]);
    }
  }

  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status*> statuses_;
  std::vector<char> is_done_;
  int done_ = 0;
};
