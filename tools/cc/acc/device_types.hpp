// device_types.hpp - types and declarations in the language of a device, and the records that they need.
//
// Threads     one at a time uses an object.
// Invariants  records have the layout that they have on the host, or are refused.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cc/acc/device_dialect.hpp"

namespace stretto::cc::acc {

/// All members throw inexpressible_code for types that the language does not have.
class device_types {
 public:
  explicit device_types(const device_dialect& dialect) : dialect_(dialect) {}

  /// A variable of the gang: "__global double *p". Pointers that lie in memory always point to global memory.
  ///
  ///   space   what the variable points to, if it is a pointer
  std::string declaration(const c_type& type, const std::string& name, pointer_space space = pointer_space::global);
  std::string number(const c_type& type);
  /// The name of a record without struct or union.
  const std::string& record_name(const record_type& record);
  /// The definition of a record is needed, not its name alone.
  void require_whole(const c_type& record);
  /// Definitions of all records, in the order that they need.
  std::string record_texts() const;
  bool uses_double() const noexcept { return uses_double_; }

 private:
  std::string declarator(const c_type& type, const std::string& name, const std::string& qualifier,
                         pointer_space space);
  std::string base_text(const c_type& type);
  std::string members_text(const c_type& record, unsigned depth);
  std::string member_text(const field& one, unsigned depth);
  void check_layout(const c_type& record);
  std::size_t alignment_of(const c_type& type);

  const device_dialect dialect_;
  std::map<const record_type*, std::string> names_;
  std::vector<const record_type*> named_;  // in the order of their first use
  std::set<std::string> taken_;
  std::set<const record_type*> whole_;
  std::vector<std::string> texts_;
  bool uses_double_ = false;
};

/// The element of an array of arrays, as deep as they go.
const c_type& innermost_element(const c_type& type);

}  // namespace stretto::cc::acc
