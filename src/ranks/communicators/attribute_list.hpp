// attribute_list.hpp - the attributes of one object of MPI.
//
// Functions of keys may call MPI, also for the same object; the list is consistent when they are called.
//
// Threads     one thread at a time, as MPI asks of programs.
// Cost        linear in the number of attributes, which are few.
// Invariants  attributes stand in the order in which they were last set.
// Errors      call_error with the code that a function of a key returned.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ranks/communicators/keyval.hpp"

namespace stretto::ranks {

/// `object` is the handle of the object, for functions of keys.
class attribute_list {
 public:
  /// Sets an attribute; one that it replaces is deleted first. If that fails, the old one stays.
  void set(std::shared_ptr<const keyval> key, void* value, void* object);
  std::optional<void*> find(int number) const;
  /// Deletes an attribute, if there is one. If the function of its key fails, it stays.
  void remove(int number, void* object);
  /// Deletes all, the one that was set last first. Stops where a function of a key fails.
  void remove_all(void* object);
  /// Copies to an object without attributes, in the order in which they were set. If a function of a key fails, those
  /// copied before stay in `copy`: the caller removes them with the object that they belong to.
  void copy_to(attribute_list& copy, void* object) const;
  bool is_empty() const { return attributes_.empty(); }

 private:
  struct attribute {
    std::shared_ptr<const keyval> key;
    void* value = nullptr;
  };

  std::vector<attribute> attributes_;
};

}  // namespace stretto::ranks
