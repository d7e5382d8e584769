// checkpoint_schedule.cpp - decides when a checkpoint of buffers is due; all nodes decide the same.
#include <stretto/buffer_checkpoint.hpp>

#include "base/clock.hpp"
#include "buffers/buffers_state.hpp"
#include "buffers/launch_pipeline.hpp"

namespace stretto::detail {
namespace {

constexpr std::uint64_t offers_until_answer = 8;

std::uint64_t horizons_so_far() {
  buffers::buffers_state& s = *buffers::state_of(*base::require_current("buffer_checkpoint").runtime);
  const buffers::drained_submission_lock held(s, std::source_location::current());
  return s.tasks.horizons();
}

}  // namespace

void checkpoint_times::begin_anew() {
  has_begun_ = true;
  offers_ = asked_before_ = 0;
  horizons_before_ = policy_.horizons ? horizons_so_far() : 0;
  began_ = base::nanoseconds_now();
  asked_ = {};
}

bool checkpoint_times::has_time_passed(const std::source_location& where) {
  if (asked_before_ != 0) {
    if (++asked_before_ <= offers_until_answer) return false;
    asked_before_ = 0;
    if (asked_.get().view()(0)) return true;
  }
  if (!answer_) answer_ = buffer<std::int32_t>(box(0, 1), {.name = "time for a checkpoint"}, where);
  host_task_request request;
  request.name = "time for a checkpoint";
  host_task_with(
      nodes_of_task::one, box(0, 1), request, where,
      [since = began_, wanted = policy_.seconds](view<std::int32_t> answer) {
        answer(0) = static_cast<double>(base::nanoseconds_now() - since) >= wanted * 1e9;
      },
      answer_.out(all));
  asked_ = answer_.read(where);
  asked_before_ = 1;
  return false;
}

bool checkpoint_times::take(const std::source_location& where) {
  if (!has_begun_) begin_anew();
  ++offers_;
  const bool is_due = (policy_.offers && offers_ >= policy_.offers) ||
                      (policy_.horizons && horizons_so_far() - horizons_before_ >= policy_.horizons) ||
                      (policy_.seconds > 0 && !is_dry_run() && has_time_passed(where));
  if (is_due) begin_anew();
  return is_due;
}

}  // namespace stretto::detail
