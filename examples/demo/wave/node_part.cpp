#include "demo/wave/node_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/task.hpp>

#include "demo/wave/first_failure.hpp"
#include "demo/wave/tile_fields.hpp"

namespace stretto::wave {
namespace {

using clock = std::chrono::steady_clock;

/// The events of what was submitted last, per tile.
class stepping {
 public:
  stepping(const assignment& all, const tiling& tiles, const tile_fields& fields, std::vector<introduction> others,
           mailbox& box, const home_side* home)
      : all_(all),
        tiles_(tiles),
        fields_(fields),
        home_(home),
        others_(std::move(others)),
        letters_(box),
        here_(this_node()),
        own_(tiles_of(here_, all.nodes, tiles.tiles.size())),
        ahead_(steps_ahead(own_.end - own_.first)),
        steps_(std::size_t(ahead_) * count()),
        arriving_(count()),
        looked_at_(count()),
        now_framed_(all.framed),
        now_painted_(all.painted) {
    for (const halo_copy& c : halo_copies(tiles)) {
      if (node_of(c.to) == here_) copies_.push_back(c);
      else if (node_of(c.from) == here_) wanted_[node_of(c.to)].push_back(std::size_t(c.from));
    }
  }
  /// Tasks and copies use this object.
  ~stepping() { drain(); }

  part_result run() {
    part_result result;
    const auto started = clock::now();
    auto frame = all_.frame_steps.begin();
    for (int n = 0; n < all_.what.steps() && !is_stopped(); ++n) {
      if (!submit_step(n)) break;
      result.steps = n + 1;
      if (frame != all_.frame_steps.end() && *frame == n + 1) submit_frame(n + 1), ++frame;
      if (n + 1 < all_.what.steps() && !(tell_neighbours(n) && submit_copies(n + 1))) break;
      if (home_ && home_->asked.on_progress) home_->asked.on_progress(std::max(0, n + 1 - ahead_));
    }
    const bool is_whole = result.steps == all_.what.steps();
    if (!is_whole && all_.nodes > 1) part_ways();
    const auto failed = drain();
    if (!is_whole && all_.nodes > 1 && home_) paint_no_more(failed);
    if (failed) std::rethrow_exception(failed);
    result.seconds = std::chrono::duration<double>(clock::now() - started).count();
    result.step_tasks = count() * std::size_t(result.steps);
    result.halo_copies = copied_;
    for (int parity : {0, 1}) hand_over(result.steps + parity, all_.last[std::size_t(parity)]);
    return result;
  }

 private:
  std::size_t count() const { return own_.end - own_.first; }
  std::uint32_t node_of(int tile) const {
    std::uint32_t node = here_;
    while (std::size_t(tile) < tiles_of(node, all_.nodes, tiles_.tiles.size()).first) --node;
    while (std::size_t(tile) >= tiles_of(node, all_.nodes, tiles_.tiles.size()).end) ++node;
    return node;
  }
  /// Several nodes would stop at different steps; their launcher ends them.
  bool is_stopped() const {
    return home_ && all_.nodes == 1 && home_->asked.stop && home_->asked.stop->load(std::memory_order_relaxed);
  }

  /// The last step submitted of one of our tiles but `ahead_` others.
  future<void>& step_of(std::size_t tile, int n) {
    return steps_[std::size_t(n % ahead_) * count() + (tile - own_.first)];
  }

  /// Returns false if a task has failed.
  bool submit_step(int n) {
    for (std::size_t i = own_.first; i < own_.end; ++i) {
      auto& place = step_of(i, n);
      if (n >= ahead_ && first_failure(place))
        return false;  // the only wait for ourselves: it bounds what is in flight
      const auto& in = arriving_[i - own_.first].copies;
      const auto body = [this, i, n] { step_tile_or_name_it(i, n); };
      if (n == 0) place = async(name(fields_.name(i)), body);
      else
        place = async(after(step_of(i, n - 1), in[0], in[1], in[2], in[3], looked_at_[i - own_.first]),
                      name(fields_.name(i)), body);
    }
    return true;
  }

  /// Which events the copies of other nodes from our tiles have to wait for. Returns false if one of them cannot be
  /// told.
  bool tell_neighbours(int n) {
    auto& before = sent_[std::size_t(n % 2)];
    for (const auto& one : before)
      if (first_failure(one)) return false;
    before.clear();
    for (const auto& [node, tiles] : wanted_) {
      std::vector<event> ends;
      for (const std::size_t tile : tiles) ends.push_back(step_of(tile, n));
      before.push_back(mailbox::send(node, others_[node].mailbox, here_, n, std::move(ends)));
    }
    told_ = n + 1;
    return true;
  }

  /// Nobody shall wait for our next step, or for what we have of the next frames.
  void part_ways() {
    if (told_ + 1 < all_.what.steps())
      for (const auto& [node, tiles] : wanted_)
        sent_[0].push_back(mailbox::send(node, others_[node].mailbox, here_, told_, {}));
    poison_rest(now_framed_, frames_, nullptr);
  }
  void paint_no_more(const std::exception_ptr& why) { poison_rest(now_painted_, frames_, why); }
  void poison_rest(barrier phase, int from, const std::exception_ptr& why) const {
    if (std::size_t(from) >= all_.frame_steps.size()) return;
    const auto never = user_event::create();
    never.poison(why ? why : std::make_exception_ptr(std::runtime_error("another node has stopped")));
    for (auto k = std::size_t(from); k < all_.frame_steps.size(); ++k, phase = phase.advance()) phase.arrive(never);
  }

  /// The halos of the field after `steps` steps. Returns false if a neighbour has stopped.
  bool submit_copies(int steps) {
    std::map<std::uint32_t, std::vector<event>> ends;
    for (const auto& [node, tiles] : wanted_) {  // neighbours are so both ways
      ends[node] = letters_.take(node, steps - 1);
      if (ends[node].empty()) return false;
    }
    std::map<std::uint32_t, std::size_t> next;
    for (auto& one : arriving_) one.count = 0;
    for (const halo_copy& c : copies_) {
      const auto from = std::size_t(c.from), to = std::size_t(c.to);
      const std::uint32_t node = node_of(c.from);
      const event ready = node == here_ ? event(step_of(from, steps - 1)) : ends[node][next[node]++];
      auto& in = arriving_[to - own_.first];
      in.copies[in.count++] =
          copy(fields_.at(from, steps), fields_.at(to, steps), tile_fields::box_of(c.cells), after(ready));
    }
    copied_ += copies_.size();
    return true;
  }

  /// Copies the field after `steps` steps into one of two whole ones, while the steps go on; at home it is painted.
  void submit_frame(int steps) {
    const auto turn = std::size_t(frames_++ % 2);
    const event free = frames_ > 2 ? painted_[turn].event() : event();
    for (std::size_t i = own_.first; i < own_.end; ++i)
      looked_at_[i - own_.first] = copy(fields_.at(i, steps), all_.frames[turn], tile_fields::box_of(tiles_.tiles[i]),
                                        after(step_of(i, steps - 1), free));
    const barrier framed = now_framed_, painted = now_painted_;
    now_framed_ = framed.advance();
    now_painted_ = painted.advance();
    framed.arrive(merge(looked_at_));
    painted_[turn] = painted;
    if (!home_) return;
    last_painted_ = async(after(framed.event(), last_painted_), name("paint a frame"),
                          [this, turn] { home_->asked.paint(home_->frames[turn]); });
    painted.arrive(last_painted_);
  }

  /// An exception of a step is reported with the name of its tile.
  void step_tile_or_name_it(std::size_t i, int n) const {
    try {
      if (all_.failure && all_.failure->tile == i && all_.failure->step == n)
        throw std::runtime_error("STRETTO_TEST_FAIL_TILE asked for it");
      fields_.step(i, n);
    } catch (const std::exception& e) {
      throw error("W19", fmt::format("task \"{}\" failed", fields_.name(i)))
          .fact("step", fmt::format("{} of {}", n, all_.what.steps()))
          .because(e.what());
    }
  }

  void hand_over(int steps, const pressure& to) const {
    std::vector<event> copied;
    for (std::size_t i = own_.first; i < own_.end; ++i)
      copied.push_back(copy(fields_.at(i, steps), to, tile_fields::box_of(tiles_.tiles[i])));
    wait(merge(copied));
  }

  /// Waits for everything submitted, failed or not. Returns the failure that the others follow from.
  std::exception_ptr drain() noexcept {
    std::exception_ptr first;
    const auto settle = [&](const dependency& d) {
      if (auto failed = first_failure(d); failed && !first) first = std::move(failed);
    };
    for (const auto& one : steps_)
      if (one.valid()) settle(one);
    for (const auto& one : arriving_)
      for (const event e : one.copies) settle(e);
    for (const event e : looked_at_) settle(e);
    settle(last_painted_);
    for (const auto& turn : sent_)
      for (const auto& one : turn) settle(one);
    return first;
  }

  struct arrivals {
    std::array<event, 4> copies;
    std::size_t count = 0;
  };
  const assignment& all_;
  const tiling& tiles_;
  const tile_fields& fields_;
  const home_side* const home_;
  const std::vector<introduction> others_;
  mailbox& letters_;
  const std::uint32_t here_;
  const tile_range own_;
  const int ahead_;
  std::vector<halo_copy> copies_;                             // into our tiles
  std::map<std::uint32_t, std::vector<std::size_t>> wanted_;  // of our tiles, by who copies from them
  std::array<std::vector<future<void>>, 2> sent_;             // to neighbours, alternately
  int told_ = 0;                                              // the step that neighbours expect next
  std::vector<future<void>> steps_;                           // of the last `ahead_` steps, each of every tile of ours
  std::vector<arrivals> arriving_;                            // per tile
  std::vector<event> looked_at_;                              // per tile: the copy of the last frame from it
  barrier now_framed_, now_painted_;
  std::array<barrier, 2> painted_;  // the last of each turn
  event last_painted_;
  int frames_ = 0;
  std::size_t copied_ = 0;
};

}  // namespace

int steps_ahead(std::size_t tiles) {
  constexpr std::size_t tasks_in_flight = 4096;
  return int(std::clamp<std::size_t>(tasks_in_flight / std::max<std::size_t>(tiles, 1), 2, 32));
}

part_result run_part(const assignment& all, const home_side* home) {
  const std::uint32_t here = this_node();
  const tiling tiles = cut(all.what.size(), all.across, all.down);
  std::optional<tile_fields> fields;
  try {
    fields.emplace(all.what, tiles, tiles_of(here, all.nodes, tiles.tiles.size()), all.ground, this_machine());
  } catch (...) {
    introductions::stay_away(all.home, all.introductions);
    throw;
  }
  mailbox box;
  auto others = introductions::introduce(all.home, all.introductions, {here, box.address(), fields->handles()});
  for (const auto& one : others) fields->learn(tiles_of(one.node, all.nodes, tiles.tiles.size()), one.tiles);

  part_result result;
  std::exception_ptr failed;
  try {
    result = stepping(all, tiles, *fields, std::move(others), box, home).run();
  } catch (...) {
    failed = std::current_exception();
  }
  all.ended.arrive();
  wait(all.ended);  // until then others read our tiles, and write to us
  if (failed) std::rethrow_exception(failed);
  return result;
}
}  // namespace stretto::wave
