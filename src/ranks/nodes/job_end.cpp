// job_end.cpp - counts the nodes that know that the job ends.
#include "ranks/nodes/job_end.hpp"

#include <stretto/error.hpp>

#include <utility>

#include "base/error_output.hpp"

namespace stretto::ranks {

namespace {

void keep_end(completion&) noexcept {}
std::string describe_end(const completion&) { return "the replies of all nodes to the end of the job"; }
constexpr request_kind kind_of_end{{keep_end, describe_end}};

constexpr int code_of_failed_node = 1;

std::string failed_node(const std::string& node) {
  const auto e = error("R94", "node " + node + " has failed: all ranks of the job end")
                     .because("its process has ended, or cannot be reached any more")
                     .remedy("look at what that node printed; `stretto run --label` shows which node printed what");
  return base::printed(e, base::error_form_of(base::stretto_environment(), {}));
}

}  // namespace

job_end::job_end(dist::job& j, exit_function exit) : job_(j), exit_(std::move(exit)), all_know_(kind_of_end) {
  all_know_.activate();
  j.on<&job_end::on_notice, &job_end::on_reply>(this);
  j.add(*this);
}

void job_end::end_others(int code) {
  int before = none;
  if (!code_.compare_exchange_strong(before, code)) return wait_for(all_know_);  // another rank, or node, ends the job
  awaited_.store(static_cast<int>(job_.nodes()));
  for (dist::rank node = 0; node < job_.nodes(); ++node)
    if (node != job_.self()) job_.send(node, job_end_notice{code});
  count_one();  // this node
  wait_for(all_know_);
}

void job_end::count_one() {
  if (awaited_.fetch_sub(1) == 1) all_know_.end();
}

void job_end::on_notice(dist::rank from, const job_end_notice& m, base::thread_context&) {
  int before = none;
  code_.compare_exchange_strong(before, m.code);
  job_.send(from, job_end_reply{m.code});
}

void job_end::on_reply(dist::rank, const job_end_reply&, base::thread_context&) { count_one(); }

void job_end::lost(dist::rank node, base::thread_context&) noexcept {
  int before = none;
  if (code_.compare_exchange_strong(before, code_of_failed_node))
    return exit_(code_of_failed_node, failed_node(job_.name_of(node)));
  exit_(before, {});
}

}  // namespace stretto::ranks
