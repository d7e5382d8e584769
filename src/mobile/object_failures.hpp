// object_failures.hpp - the names of objects in texts for people, and the failures of messages to objects that are
// destroyed, or whose node has failed.
//
// Threads     Any.
#pragma once

#include <string>

#include "mobile/home_nodes.hpp"

namespace stretto::mobiles {

struct object_entry;

class object_failures {
 public:
  object_failures(const dist::job* j, const home_nodes& homes) noexcept : job_(j), homes_(homes) {}

  /// "N1:M7 "counter"": the home node unless it is the first, the count in the id, and the name.
  std::string display_name(object_id id, const std::string& name) const;
  /// The object was destroyed: G02.
  failure_ref destroyed(object_id id, const std::string& name) const;
  /// The object `role` that node, which has failed or cannot be reached: G03. `e` may be null.
  failure_ref of_node_loss(object_id id, const object_entry* e, rank node, const char* role) const;
  /// That failure, of the object.
  failure_ref of_object(object_id id, const std::string& name, const failure& cause) const;
  /// That failure, of what was sent to the object.
  failure_ref of_rejected(object_id id, const std::string& name, const failure& cause) const;

 private:
  const dist::job* const job_;
  const home_nodes& homes_;
};

}  // namespace stretto::mobiles
