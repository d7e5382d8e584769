// remote_queues.hpp - completion queues of other nodes: each operation is a task on the owner, and the caller waits for
// it.
//
// Threads     any that may suspend or block.
// Cost        two messages and a task on the owner. pop also waits until this node knows how the returned events have
//             ended.
#pragma once

#include "dist/job.hpp"
#include "event/remote_queue.hpp"

namespace stretto::dist {

class remote_queues final : public stretto::remote_queues {
 public:
  explicit remote_queues(job& j) noexcept : job_(j) {}
  void serve(base::runtime_context& runtime) { detail::set_remote_queues(runtime, this); }

  bool reaches(std::uint16_t node) const noexcept override { return job_.reaches(node); }
  void add(std::uint16_t node, const completion_queue& to, event e, const std::source_location& where) override;
  std::vector<event> pop(std::uint16_t node, const completion_queue& from, std::size_t at_most,
                         const std::source_location& where) override;
  event nonempty(std::uint16_t node, const completion_queue& of, const std::source_location& where) override;
  std::pair<std::size_t, std::size_t> size(std::uint16_t node, const completion_queue& of,
                                           const std::source_location& where) override;
  void destroy(std::uint16_t node, const completion_queue& that, const std::source_location& where) override;

 private:
  template <auto f, class... A>
  auto done_at(std::uint16_t node, const std::source_location& where, const A&... arguments);

  job& job_;
};

}  // namespace stretto::dist
