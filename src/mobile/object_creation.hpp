// object_creation.hpp - makes new objects, here or on another node, and restores objects from a checkpoint that another
// job has written.
//
// The functions of make_mobile and make_collection call the first half, restore_objects the second.
//
// Threads     Any of the runtime.
#pragma once

#include <source_location>
#include <string>

#include "mobile/message_router.hpp"
#include "mobile/saved_objects.hpp"

namespace stretto::mobiles {

class object_creation {
 public:
  /// `j` is null in a runtime without a job.
  object_creation(dist::job* j, home_nodes& homes, object_directory& directory, message_counters& counters,
                  const local_objects& local, object_replies& replies, message_router& router) noexcept
      : job_(j),
        homes_(homes),
        directory_(directory),
        counters_(counters),
        local_(local),
        replies_(replies),
        router_(router) {}

  /// Makes a mobile object of `object`, which the program has constructed on this node, and owns it from now on.
  /// Returns its id.
  object_id adopt(const detail::make_request& request, const detail::mobile_type& type, void* object);
  /// Has `maker` construct an object of `arguments` on node `request.node`. Returns the id at once. Throws N02.
  object_id make(const detail::make_request& request, const detail::message_type& maker, detail::parcel&& arguments);
  /// The same under an id of home_nodes::reserve_ids. `request.node` must be a node of this job.
  void make_reserved(object_id id, const detail::make_request& request, const detail::message_type& maker,
                     detail::parcel&& arguments);
  /// Throws N02: there is no such node.
  [[noreturn]] void refuse_node(std::uint32_t node, const std::source_location& where) const;

  /// On the home node of an object from a checkpoint, after home_nodes::restore: the object is, or will be, on `at`.
  void restore_home_record(object_id id, const std::string& name, rank at);
  /// Installs a local object. Its home record may be restored before or after.
  void restore_object(object_id id, const detail::mobile_type& type, const std::string& name, void* object);
  /// Sends a saved message to the object. Requires that all objects are restored.
  void restore_message(object_id id, const saved_message& msg);

 private:
  /// On the home node: makes the home record of an object that is, or will be, on node `at`.
  static void add_home_record(object_entry& e, const std::string& name, rank at);

  dist::job* const job_;
  home_nodes& homes_;
  object_directory& directory_;
  message_counters& counters_;
  const local_objects& local_;
  object_replies& replies_;
  message_router& router_;
};

}  // namespace stretto::mobiles
