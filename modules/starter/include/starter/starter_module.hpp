// starter_module.hpp - a library's operations as futures of Stretto.
//
//     auto calls = std::make_shared<starter::starter_module>();
//     stretto::runtime rt({.modules = {calls}});
//     rt.run([&] { std::printf("%d\n", calls->twice(21).get()); });
//
// Threads  twice: any thread of the module's runtime.
// Cost     twice: an allocation and a lock. No worker blocks while the library works.
#pragma once

#include <stretto/future.hpp>
#include <stretto/module.hpp>

#include <list>
#include <mutex>

namespace starter {

/// The module. A runtime gets it by runtime_options::modules; this_runtimes<starter_module>() returns it.
class starter_module final : public stretto::module, private stretto::poller {
 public:
  starter_module();
  ~starter_module() override;

  /// Twice the number, once the library has computed it. Poisoned if the runtime ends before.
  stretto::future<int> twice(int number);

  std::string_view name() const noexcept override { return "starter"; }
  void initialise(stretto::module_host& host) override;
  void finalise() override;

 private:
  struct operation;

  std::size_t poll() override;
  void fail(std::exception_ptr why) noexcept override;

  stretto::statistic operations_;
  std::mutex mutex_;
  std::list<operation> pending_;
};

}  // namespace starter
