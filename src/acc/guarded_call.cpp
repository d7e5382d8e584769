#include "acc/guarded_call.hpp"

#include "ranks/process/rank.hpp"

namespace stretto::acc {

void end_job_with(const std::string& message) {
  if (ranks::rank* const one = ranks::rank::current())
    ranks::end_job(one->node(), {ranks::error_reaction::fatal, nullptr, 1, message + "\n"});
  throw;
}

}  // namespace stretto::acc
