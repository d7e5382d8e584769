#include <stretto/launch_graph.hpp>

#include <stretto/error.hpp>

#include <atomic>
#include <string>
#include <vector>

#include "data/kernel_arguments.hpp"
#include "objects/launch_preparation.hpp"
#include "objects/task_lifecycle.hpp"

namespace stretto {

namespace detail {

struct launch_list {
  struct kept_item {
    object_handle object;
    object_item is;  // its pointers are set for each submission
    std::function<box(const box&, const box&)> mapped;
    std::vector<std::byte> value;
  };
  struct described {
    const kernel_code* code;
    kernel_range range;
    std::string name, driver;
    object_launch request;
    std::vector<event> after;
    std::vector<std::uint32_t> behind;
    std::vector<kept_item> items;
  };

  static std::uint32_t next_number() {
    static std::atomic<std::uint32_t> last{0};
    return ++last;
  }
  const std::uint32_t number = next_number();
  std::vector<described> all;
};

launched describe_launch(launch_list& graph, const kernel_code& code, const kernel_range& range,
                         std::span<const object_item> items, const graph_launch& request) {
  data::refuse_wrong_range(code, range);
  launch_list::described d{&code, range, std::string(request.name), std::string(request.driver), request, {}, {}, {}};
  if (!request.after.empty() || !request.after_events.empty())
    d.after = objects::precondition_events(request, base::require_current("launch"), range.where);
  d.request.after = {}, d.request.after_events = {}, d.request.name = {}, d.request.driver = {};
  for (const launched& l : request.behind) {
    if (l.graph != graph.number || l.index >= graph.all.size())
      throw error("A08", "launch \"" + std::string(request.name.empty() ? code.name : request.name) +
                             "\" depends on a launch of another graph")
          .fact("called", range.where)
          .because("the result of a graph's launch() identifies a launch of that graph only")
          .remedy(
              "add both launches to one graph, or wait for the event that submit() of the other graph returned: "
              "after(event)");
    d.behind.push_back(l.index);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    launch_list::kept_item& kept = d.items.emplace_back();
    kept.is = items[i];
    if (items[i].object) kept.object = *items[i].object;
    if (items[i].mapped) kept.mapped = *items[i].mapped;
    if (!items[i].value) continue;
    const auto* const first = static_cast<const std::byte*>(items[i].value);
    kept.value.assign(first, first + code.parameters[i].element_bytes);
  }
  graph.all.push_back(std::move(d));
  return {graph.number, static_cast<std::uint32_t>(graph.all.size() - 1)};
}

}  // namespace detail

launch_graph::launch_graph() : list_(std::make_unique<detail::launch_list>()) {}
launch_graph::launch_graph(launch_graph&&) noexcept = default;
launch_graph& launch_graph::operator=(launch_graph&&) noexcept = default;
launch_graph::~launch_graph() = default;

std::size_t launch_graph::size() const noexcept { return list_->all.size(); }

event launch_graph::submit(std::source_location where) const {
  base::thread_context& context = base::require_current("submit");
  objects::objects_state& s = *objects::state_of(*context.runtime);
  const objects::objects_lock in(s, context);
  std::vector<objects::launch_tasks> tasks(list_->all.size());
  std::vector<detail::object_item> items;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    const auto& d = list_->all[n];
    items.clear();
    for (const auto& kept : d.items) {
      detail::object_item& i = items.emplace_back(kept.is);
      if (i.object) i.object = &kept.object;
      if (i.mapped) i.mapped = &kept.mapped;
      if (i.value) i.value = kept.value.data();
    }
    detail::object_launch request = d.request;
    request.name = d.name, request.driver = d.driver;
    objects::prepare(s, *d.code, d.range, items, request, context, tasks[n]);
  }
  std::vector<std::vector<objects::predecessor>> submitted(tasks.size());
  std::vector<objects::predecessor> behind;
  std::vector<event> done;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    const auto& d = list_->all[n];
    behind.clear();
    for (const std::uint32_t p : d.behind) behind.insert(behind.end(), submitted[p].begin(), submitted[p].end());
    for (objects::task_pointer& t : tasks[n]) {
      objects::predecessor& p = submitted[n].emplace_back();
      p.done = objects::submit_prepared(std::move(t), d.after, behind, context, &p.id);
      done.push_back(p.done);
    }
  }
  return merge(done, where);
}

}  // namespace stretto
