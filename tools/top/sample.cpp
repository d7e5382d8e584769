#include "top/sample.hpp"

#include <nlohmann/json.hpp>
#include <stretto/error.hpp>

namespace stretto::top {
namespace {

using json = nlohmann::json;

template <class Value>
void read(const json& from, const char* key, Value& into) {
  if (const auto at = from.find(key); at != from.end()) at->get_to(into);
}

const json& list_in(const json& from, const char* key) {
  static const json none = json::array();
  const auto at = from.find(key);
  return at == from.end() ? none : *at;
}

runtime_sample runtime_in(const json& from) {
  runtime_sample r;
  read(from, "node", r.node);
  read(from, "seconds", r.seconds);
  for (const auto& one : from.at("workers")) {
    auto& w = r.counted.workers.emplace_back();
    read(one, "tasks", w.tasks);
    read(one, "steals", w.steals);
    read(one, "stolen_tasks", w.stolen_tasks);
    read(one, "suspensions", w.suspensions);
    read(one, "parks", w.parks);
  }
  for (const auto& one : list_in(from, "places")) {
    auto& p = r.counted.places.emplace_back();
    read(one, "place", p.place);
    read(one, "tasks", p.tasks);
    read(one, "busy_seconds", p.busy_seconds);
    read(one, "queued", p.queued);
  }
  for (const auto& one : list_in(from, "modules")) {
    auto& m = r.counted.modules.emplace_back();
    read(one, "module", m.module);
    read(one, "what", m.what);
    read(one, "place", m.place);
    read(one, "count", m.count);
    read(one, "seconds", m.seconds);
    read(one, "bytes", m.bytes);
  }
  if (const auto events = from.find("events"); events != from.end()) {
    read(*events, "created", r.counted.events.created);
    read(*events, "untriggered", r.counted.events.untriggered);
  }
  read(from, "suspended", r.counted.suspended);
  read(from, "stacks", r.counted.stacks);
  read(from, "task_bytes", r.counted.task_bytes);
  return r;
}

}  // namespace

sample read_sample(const std::string& text) try {
  const json all = json::parse(text);
  sample s;
  all.at("process").get_to(s.process);
  read(all, "program", s.program);
  read(all, "resident_bytes", s.resident_bytes);
  for (const auto& one : list_in(all, "progress")) {
    auto& w = s.works.emplace_back();
    read(one, "what", w.what);
    read(one, "unit", w.unit);
    read(one, "done", w.done);
    read(one, "total", w.total);
  }
  for (const auto& one : list_in(all, "runtimes")) s.runtimes.push_back(runtime_in(one));
  return s;
} catch (const nlohmann::json::exception& fault) {
  throw error("W41", "stretto top cannot read the reply of a process")
      .because(fault.what())
      .remedy("use the stretto command of the version that the program was built with");
}

}  // namespace stretto::top
