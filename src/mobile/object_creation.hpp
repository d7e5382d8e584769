// object_creation.hpp - new objects, here or on another node, and objects that a checkpoint of another job holds.
//
// Threads     Any.
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

  /// This node is the home node of `object`, which is here.
  object_id adopt(const detail::make_request& request, const detail::mobile_type& type, void* object);
  /// The object is constructed on `request.node`.
  object_id make(const detail::make_request& request, const detail::message_type& maker, detail::parcel&& arguments);
  /// The same under a reserved id. `request.node` must be a node of this job.
  void make_reserved(object_id id, const detail::make_request& request, const detail::message_type& maker,
                     detail::parcel&& arguments);
  [[noreturn]] void refuse_node(std::uint32_t node, const std::source_location& where) const;

  // Objects of another job, whose home nodes have been restored.
  void restore_home_record(object_id id, const std::string& name, rank at);
  /// Installs a local object. Its home record may be restored before or after.
  void restore_object(object_id id, const detail::mobile_type& type, const std::string& name, void* object);
  /// Requires that all objects are restored.
  void restore_message(object_id id, const saved_message& msg);

 private:
  /// The object is expected at that node, or made there.
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
