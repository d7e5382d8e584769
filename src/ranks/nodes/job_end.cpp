// job_end.cpp - the deciding node and the reporting node count the nodes that know of the end.
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

job_end::job_end(dist::job& j, exit_function exit)
    : job_(j), exit_(std::move(exit)), may_report_(kind_of_end), all_know_(kind_of_end) {
  may_report_.activate();
  all_know_.activate();
  j.on<&job_end::on_request, &job_end::on_notice, &job_end::on_reply, &job_end::on_failure>(this);
  j.add(*this);
}

void job_end::report_end(int code, const std::function<void()>& report) {
  request_end(code);
  wait_for(may_report_);
  report();
  wait_for(all_know_);
}

void job_end::request_end(int code) { job_.send(deciding_node(), job_end_request{code}); }

dist::rank job_end::deciding_node() const {
  dist::rank lowest = 0;
  while (lowest != job_.self() && job_.is_lost(lowest)) ++lowest;
  return lowest;
}

void job_end::on_request(dist::rank from, const job_end_request& m, base::thread_context&) {
  if (!decided_) decide(from, m.code);
}

void job_end::on_failure(dist::rank from, const node_failure_notice& m, base::thread_context&) {
  if (m.node >= job_.nodes()) return job_.refuse_malformed(m.message, from);
  if (!failed_) failed_ = static_cast<dist::rank>(m.node);
  if (!decided_) end_by_failure();
}

void job_end::lost(dist::rank node, base::thread_context&) noexcept {
  if (!decided_) {
    if (!failed_) failed_ = node;
    return end_by_failure();
  }
  if (decided_->reporting == job_.self()) exit_if_all_know();
  else exit_(decided_->code, {});
}

/// The deciding node may not see the failure by itself.
void job_end::end_by_failure() {
  if (deciding_node() != job_.self()) return job_.send(deciding_node(), node_failure_notice{*failed_});
  is_for_rank_ = false;
  decide(job_.self(), code_of_failed_node);
}

void job_end::decide(dist::rank reporting, int code) {
  decided_ = decision{code, reporting};
  for (dist::rank node = 0; node < job_.nodes(); ++node)
    if (node != job_.self()) job_.send(node, job_end_notice{code, reporting});
  know_.insert(job_.self());
  if (reporting == job_.self()) begin_report();
}

void job_end::on_notice(dist::rank from, const job_end_notice& m, base::thread_context&) {
  if (m.reporting >= job_.nodes()) return job_.refuse_malformed(m.message, from);
  if (decided_) return;
  decided_ = decision{m.code, static_cast<dist::rank>(m.reporting)};
  know_.insert({from, job_.self()});
  if (decided_->reporting == job_.self()) begin_report();
  else job_.send(decided_->reporting, job_end_reply{m.code});
}

void job_end::begin_report() {
  if (is_for_rank_) may_report_.end();
  exit_if_all_know();
}

void job_end::on_reply(dist::rank from, const job_end_reply&, base::thread_context&) {
  know_.insert(from);
  if (decided_ && decided_->reporting == job_.self()) exit_if_all_know();
}

void job_end::exit_if_all_know() {
  for (dist::rank node = 0; node < job_.nodes(); ++node)
    if (!know_.contains(node) && !job_.is_lost(node)) return;
  if (!is_for_rank_) exit_(code_of_failed_node, failed_node(job_.name_of(*failed_)));
  else if (!all_know_.is_done()) all_know_.end();
}

}  // namespace stretto::ranks
