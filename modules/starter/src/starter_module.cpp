#include <starter/starter_module.hpp>

#include <stdexcept>
#include <utility>

#include "library.hpp"

namespace starter {

struct starter_module::operation {
  library::request request;
  stretto::promise<int> result;
};

starter_module::starter_module() = default;
starter_module::~starter_module() = default;

void starter_module::initialise(stretto::module_host& host) {
  host.add_poller(*this);
  operations_ = host.add_statistic("operations");
}

void starter_module::finalise() {
  stop_polling();
  fail(std::make_exception_ptr(std::runtime_error("the runtime has ended before this operation")));
}

stretto::future<int> starter_module::twice(int number) {
  stretto::promise<int> result;
  auto value = result.get_future();
  add_pending();  // before it can end
  std::scoped_lock lock(mutex_);
  pending_.push_back({library::start(number), std::move(result)});
  return value;
}

std::size_t starter_module::poll() {
  std::list<operation> ended;
  {
    std::scoped_lock lock(mutex_);
    for (auto next = pending_.begin(); next != pending_.end();) {
      const auto one = next++;
      if (library::has_ended(one->request)) ended.splice(ended.end(), pending_, one);
    }
  }
  const std::size_t n = ended.size();
  operations_.add(n);
  // Outside of the lock: tasks that wait for the value may run at once, and call this module.
  for (operation& one : ended) one.result.set(library::result_of(one.request));
  remove_pending(n);
  return n;
}

void starter_module::fail(std::exception_ptr why) noexcept {
  std::list<operation> ended;
  {
    std::scoped_lock lock(mutex_);
    ended.swap(pending_);
  }
  for (operation& one : ended) one.result.poison(why);
  remove_pending(ended.size());
}

}  // namespace starter
