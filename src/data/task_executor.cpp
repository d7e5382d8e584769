#include "data/task_executor.hpp"

#include <stretto/task.hpp>

namespace stretto::data {

// A memory need not be on any worker's path, so the task is queued at the caller; work stealing balances the load.
void task_executor::execute(places::work_item& item, place) {
  async([&item] { item.run(item); });
}

}  // namespace stretto::data
