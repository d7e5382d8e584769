// domain_binding.hpp - keeps threads on the NUMA domain of a worker, so that the memory which they touch first is
// there.
//
// Threads     bind_thread: any, for itself.
// Cost        a system call.
// Invariants  (1) nothing is bound unless the workers are in all of several domains: else two jobs of one machine would
//             share some domains and leave others idle.
#pragma once

#include <cstdint>
#include <vector>

#include <stretto/platform.hpp>

namespace stretto::ranks {

class domain_binding {
 public:
  explicit domain_binding(const platform& machine);

  /// Of each worker.
  const std::vector<std::uint32_t>& domains() const noexcept { return domains_; }
  /// Whether bind_thread does anything.
  bool is_on() const noexcept { return !processors_.empty(); }
  /// The calling thread stays on the domain of that worker; it stays where it may be if the system refuses.
  void bind_thread(std::uint32_t worker) const noexcept;

 private:
  std::vector<std::uint32_t> domains_;
  std::vector<std::vector<std::uint32_t>> processors_;  // by domain; none: nothing is bound
};

/// While it lives, the calling thread may be bound; then it may run where it could before.
class kept_processors {
 public:
  kept_processors();
  kept_processors(const kept_processors&) = delete;
  ~kept_processors();

 private:
  std::vector<unsigned long> before_;
};

}  // namespace stretto::ranks
