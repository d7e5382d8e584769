// task_executor.hpp - runs the parts of large operations as tasks of the runtime's workers.
//
// Threads     any thread of the runtime.
#pragma once

#include "platform/executor.hpp"

namespace stretto::data {

class task_executor final : public places::executor {
 public:
  void execute(places::work_item& item, place where) override;
};

}  // namespace stretto::data
