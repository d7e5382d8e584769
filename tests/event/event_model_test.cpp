// Random programs over events against a model that recomputes everything from the definitions.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "campaign.hpp"
#include "event/event_world.hpp"

using namespace stretto;
using namespace stretto::testing;

namespace {

/// The program holds more references than are ever released, and destroys the object itself.
struct job : completion {
  static void destroy(completion&) noexcept { std::abort(); }
  static std::string describe(const completion&) { return "a job"; }
  inline static const completion_kind kind{destroy, describe};
  job() : completion(kind, 1000) {}
  ~job() {
    if (auto* f = cause()) f->release();
  }
};

struct model {
  enum class kind { user, follow, merge, survive, copy };
  struct node {
    kind what = kind::user;
    std::vector<std::size_t> inputs;
    bool ended = false;
    std::string cause;  // "" if triggered
  };
  std::vector<node> nodes;

  /// By definition: a merge ends when all inputs have, with the first cause in input order.
  void settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& n : nodes) {
        if (n.ended || n.what == kind::user) continue;
        bool all = true;
        std::string cause;
        for (auto i : n.inputs) {
          all = all && nodes[i].ended;
          if (cause.empty()) cause = nodes[i].cause;
        }
        if (!all) continue;
        n.ended = changed = true;
        if (n.what != kind::survive) n.cause = cause;
      }
    }
  }
  bool waits_for(std::size_t from, std::size_t target) const {
    if (from == target) return true;
    if (nodes[from].ended) return false;
    for (auto i : nodes[from].inputs)
      if (waits_for(i, target)) return true;
    return false;
  }
};

void run_random_program() {
  std::map<std::size_t, std::unique_ptr<job>> jobs;  // outlive the world, which may refer to them
  lone_world world;
  model m;
  std::vector<event> handles;
  const auto any = [&] { return *rc::gen::inRange<std::size_t>(0, handles.size()); };
  const auto add = [&](event e, model::node n) {
    handles.push_back(e);
    m.nodes.push_back(std::move(n));
  };
  const auto as_user = [&](std::size_t i) { return static_cast<const user_event&>(handles[i]); };
  const auto is_plain_user = [&](std::size_t i) { return m.nodes[i].what == model::kind::user && !jobs.contains(i); };
  add(user_event::create(), {});

  const int steps = *rc::gen::inRange(1, 80);
  for (int step = 0; step < steps; ++step) {
    switch (*rc::gen::inRange(0, 8)) {
      case 0: add(user_event::create(), {}); break;
      case 1: {  // trigger or poison
        const auto i = any();
        const bool poison = *rc::gen::arbitrary<bool>();
        const std::string cause = poison ? "step " + std::to_string(step) : "";
        if (jobs.contains(i)) {
          if (m.nodes[i].ended) break;
          jobs[i]->complete(poison ? detail::make_failure(trouble(cause), "job", {}) : failure_ref(), world.context);
        } else {
          if (m.nodes[i].what != model::kind::user && m.nodes[i].what != model::kind::follow) break;
          const auto said = message_of([&] { poison ? as_user(i).poison(trouble(cause)) : as_user(i).trigger(); });
          RC_ASSERT(said.starts_with("error E01") == (m.nodes[i].ended || !is_plain_user(i)));
          if (!said.empty()) break;
        }
        m.nodes[i].ended = true;
        m.nodes[i].cause = cause;
        break;
      }
      case 2: {  // deferred trigger
        const auto i = any(), after = any();
        if (!is_plain_user(i)) break;
        const auto said = message_of([&] { as_user(i).trigger(handles[after]); });
        if (m.nodes[i].ended) RC_ASSERT(said.starts_with("error E01"));
        else if (m.waits_for(after, i)) RC_ASSERT(said.starts_with("error E02"));
        else RC_ASSERT(said.empty());
        if (said.empty()) m.nodes[i].what = model::kind::follow, m.nodes[i].inputs = {after};
        break;
      }
      case 3:
      case 4: {  // merge of events and jobs, with repetitions
        model::node n{model::kind::merge, {}, false, ""};
        std::vector<dependency> inputs;
        for (int k = *rc::gen::inRange(0, 16); k > 0; --k) {
          n.inputs.push_back(any());
          const auto j = jobs.find(n.inputs.back());
          inputs.push_back(j == jobs.end() ? dependency(handles[n.inputs.back()]) : dependency(*j->second));
        }
        add(merge_dependencies(inputs), n);
        break;
      }
      case 5: {
        const auto i = any();
        add(ignore_failure(handles[i]), {model::kind::survive, {i}, false, ""});
        break;
      }
      case 6: {  // a task and its event
        auto& j = jobs[handles.size()] = std::make_unique<job>();
        add(detail::event_of(*j, world.context, {}), {});
        break;
      }
      case 7: {
        const auto i = any();
        add(handles[i], {model::kind::copy, {i}, false, ""});
        break;
      }
    }
    m.settle();
    for (std::size_t i = 0; i < handles.size(); ++i) {
      RC_ASSERT(handles[i].has_triggered() == m.nodes[i].ended);
      RC_ASSERT(words_of_cause(handles[i]) == m.nodes[i].cause);
    }
  }
  for (auto& [i, j] : jobs) {
    if (!m.nodes[i].ended) j->complete({}, world.context);
    m.nodes[i].ended = true;
  }
  for (std::size_t i = 0; i < handles.size(); ++i)
    if (is_plain_user(i) && !m.nodes[i].ended) as_user(i).trigger();
  for (auto e : handles) RC_ASSERT(e.has_triggered());
  RC_ASSERT(current_event_statistics().untriggered == 0);
}

}  // namespace

TEST_CASE("random programs over events behave as the definitions say") {
  rc::detail::TestParams params;
  params.maxSuccess = test::scaled(500, 50'000);
  const auto result = rc::detail::checkTestable(run_random_program, rc::detail::TestMetadata{}, params);
  if (!result.template is<rc::detail::SuccessResult>()) {
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    FAIL(text.str());
  }
}
