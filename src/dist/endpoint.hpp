// endpoint.hpp - what a runtime needs to become a node of a job: node numbers and a transport.
//
// Threads     the thread that makes the runtime.
#pragma once

#include <stretto/job.hpp>

#include "dist/job.hpp"

namespace stretto::dist {

class endpoint : public job_endpoint {
 public:
  /// The node number of the job's first node in handles.
  virtual std::uint16_t first() const noexcept = 0;
  /// Makes the protocols of what joins the job by this endpoint, such as a launcher of ranks. Before join().
  virtual void add_protocols(job&) {}
  /// Connects to the job. May be called once.
  virtual std::unique_ptr<net::transport> join(net::handlers& all) = 0;
};

}  // namespace stretto::dist
