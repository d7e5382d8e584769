// handle_numbers.hpp - numbers that stand for handles where only an integer can be passed, as to Fortran.
//
// Threads     any thread of the rank that has it.
// Cost        a lock and a search; a number for each address that was ever converted.
// Invariants  a predefined handle is its own number; others have numbers from 4096 on. An address keeps its number,
//             also where the object is freed and another one is made there.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

namespace stretto::ranks {

class handle_numbers {
 public:
  int number_of(void* handle);
  /// Null for a number that stands for no handle.
  void* handle_of(int number) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<void*, int> numbers_;
  std::vector<void*> handles_;  // by number, from 4096 on
};

}  // namespace stretto::ranks
