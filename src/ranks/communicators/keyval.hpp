// keyval.hpp - keys under which programs attach attributes to objects of MPI, as MPI_Comm_create_keyval makes them.
//
// Threads     a keyval_table belongs to a rank; any thread of it may call.
// Invariants  a key keeps its number, and its functions are called, until it was freed and no object has an attribute
//             with it. No number is used twice.
// Errors      call_error(keyval).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace stretto::ranks {

/// Kinds of objects that have attributes; a key is for one of them.
enum class attribute_owner { communicator, datatype, window };

/// Copies an attribute into a duplicate of `object`: sets `copy`, and `is_copied` to 0 if the duplicate gets none.
/// Returns an error code.
using copy_function = std::function<int(void* object, int number, void* value, void** copy, int* is_copied)>;
/// Called before an attribute is deleted or replaced. Returns an error code; then the attribute stays.
using delete_function = std::function<int(void* object, int number, void* value)>;

/// Both functions may be empty: MPI_COMM_NULL_COPY_FN, with which attributes are not copied, and
/// MPI_COMM_NULL_DELETE_FN.
struct keyval_functions {
  copy_function copy;
  delete_function remove;
};

/// Copies the value, as MPI_COMM_DUP_FN.
copy_function value_copy();

struct keyval {
  int number = 0;
  attribute_owner owner{};
  keyval_functions functions;
};

class keyval_table {
 public:
  /// The number of a new key.
  int create(attribute_owner owner, keyval_functions functions);
  /// A key that may be freed, but is still in use. Throws if there is none of this number and kind.
  std::shared_ptr<const keyval> find(int number, attribute_owner owner) const;
  /// Ends the program's use of the key. Freeing it again while objects have attributes with it does nothing.
  void free(int number, attribute_owner owner);

 private:
  struct entry {
    std::shared_ptr<const keyval> created;  // null once freed
    std::weak_ptr<const keyval> used;
  };

  static constexpr int first_number = 1000;  // above the predefined ones

  mutable std::mutex mutex_;
  std::map<int, entry> entries_;
  int next_number_ = first_number;
};

}  // namespace stretto::ranks
