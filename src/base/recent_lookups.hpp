// recent_lookups.hpp - the latest lookups of a thread in a table that seldom changes, without the table's lock.
//
//     static constinit thread_local recent_lookups<const key, value> recent;
//     return recent.find(wanted, version.load(std::memory_order_acquire), [&] { return locked_search(wanted); });
//
// Threads     each has an object of its own.
// Cost        a known key: two comparisons. Others: the search.
// Invariants  each addition and removal of a key raises the version, under the table's lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace stretto::base {

/// Keys are addresses; a value may be null. The search must not suspend its task, nor may the caller be inlined where
/// one suspends: the object is that of the thread on which the call began.
template <class Key, class Value>
class recent_lookups {
 public:
  template <class Search>
  Value* find(Key* wanted, std::uint64_t version, Search&& search) {
    entry& e = entries_[(reinterpret_cast<std::uintptr_t>(wanted) >> 6) % entries_.size()];
    if (e.key != wanted || e.version != version || !wanted) e = {wanted, version, search()};
    return e.value;
  }

 private:
  struct entry {
    Key* key = nullptr;
    std::uint64_t version = 0;
    Value* value = nullptr;
  };
  // Few: a plugin with a copy of the library of its own has room for about 1 KiB of such variables.
  std::array<entry, 4> entries_{};
};

}  // namespace stretto::base
