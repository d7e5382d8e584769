#include "cc/acc/directive_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cc/acc/device_clauses.hpp"
#include "cc/acc/directive_text.hpp"
#include "cc/acc/not_translated.hpp"

namespace stretto::cc::acc {
namespace {

constexpr int no_queue = -2, default_queue = -1;  // acc_async_sync, acc_async_noval

/// The value of acc_device_t for a name in device_type.
int device_type_number(const directive& d) {
  constexpr std::array<std::pair<std::string_view, int>, 6> known{
      {{"host", 2}, {"multicore", 2}, {"not_host", 4}, {"nvidia", 5}, {"radeon", 8}, {"default", 1}}};
  const clause* const types = d.find(clause_kind::device_type);
  if (!types) return -1;
  for (const auto& [name, number] : known)
    if (std::ranges::find(types->names, name) != types->names.end()) return number;
  return 1;
}

std::string int_text(const clause& c) { return fmt::format("(int)({})", joined_text(c.arguments.at(0))); }

std::string device_number_text(const directive& d) {
  const clause* const number = d.find(clause_kind::device_num);
  return number ? int_text(*number) : "-1";
}

std::string wait_text(const clause* queues, const std::string& queue) {
  if (!queues || queues->arguments.empty()) return fmt::format("stretto_acc_wait(0, -1, {}); ", queue);
  std::string all;
  for (const tokens& one : queues->arguments)
    all += fmt::format("{}(int)({})", all.empty() ? "" : ", ", joined_text(one));
  return fmt::format("{{ const int stretto_queues[] = {{{}}}; stretto_acc_wait(stretto_queues, {}, {}); }} ", all,
                     queues->arguments.size(), queue);
}

/// enter data, exit data, update.
std::string data_call(const char* function, const directive& d, const std::vector<data_item>& items, unsigned number) {
  const std::string name = items_name(number);
  return fmt::format("{}{} {}({}, {}, {}, {}); ", waits_text(d), declaration_of(items, name), function, name,
                     items.size(), queue_text(d), place_text(d.where));
}

std::string call_of(const directive& d, const std::vector<data_item>& items, unsigned number) {
  switch (d.kind) {
    case directive_kind::enter_data: return data_call("stretto_acc_enter", d, items, number);
    case directive_kind::exit_data: return data_call("stretto_acc_exit", d, items, number);
    case directive_kind::update: return data_call("stretto_acc_update", d, items, number);
    case directive_kind::wait: return wait_text(d.find(clause_kind::wait_queues), queue_text(d));
    case directive_kind::init:
      return fmt::format("stretto_acc_init({}, {}); ", device_type_number(d), device_number_text(d));
    case directive_kind::shutdown:
      return fmt::format("stretto_acc_shutdown({}, {}); ", device_type_number(d), device_number_text(d));
    case directive_kind::set: {
      const clause* const queue = d.find(clause_kind::default_async);
      return fmt::format("stretto_acc_set({}, {}, {}, {}); ", device_type_number(d), device_number_text(d),
                         queue ? 1 : 0, queue ? int_text(*queue) : "0");
    }
    default: return "";
  }
}

}  // namespace

std::string items_name(unsigned number) { return fmt::format("stretto_data_{}", number); }

std::string place_text(const source_line& where) {
  std::string escaped;
  for (const char c : fmt::format("{}:{}", where.file, where.line)) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return '"' + escaped + '"';
}

std::string queue_text(const directive& d) {
  return choice_by_device(d, [](const directive& own) {
    const clause* const found = own.find(clause_kind::async);
    if (!found) return std::to_string(no_queue);
    return found->arguments.empty() ? std::to_string(default_queue) : int_text(*found);
  });
}

std::string waits_text(const directive& d) {
  return branches_by_device(d, [](const directive& own) {
    std::string all;
    for (const clause& one : own.clauses)
      if (one.kind == clause_kind::wait) all += wait_text(&one, queue_text(own));
    return all;
  });
}

std::string condition_text(const directive& d) {
  const clause* const found = d.find(clause_kind::if_);
  return found ? fmt::format("({})", joined_text(found->arguments.at(0))) : "1";
}

std::string call_text(const directive& d, const std::vector<data_item>& items, unsigned number) {
  const std::string call = call_of(d, items, number);
  if (call.empty()) return "";
  const bool has_condition = d.find(clause_kind::if_) != nullptr;
  return has_condition ? fmt::format("if ({}) {{ {}}}", condition_text(d), call) : fmt::format("{{ {}}}", call);
}

std::string scope_text(const directive& d, const std::vector<data_item>& items, unsigned number) {
  const std::string name = items_name(number);
  return fmt::format(
      "{} {}struct stretto_acc_scope stretto_scope_{} __attribute__((cleanup(stretto_acc_close), unused)) ="
      " stretto_acc_open({}, {}, {}, {} != 0, {});",
      declaration_of(items, name), waits_text(d), number, name, items.size(), queue_text(d), condition_text(d),
      place_text(d.where));
}

std::string opening_text(const directive& d, const std::vector<data_item>& items, unsigned number) {
  return "{ " + scope_text(d, items, number);
}

std::string host_data_text(const directive& d, const std::vector<data_item>& items, unsigned number) {
  std::string addresses, names;
  const int if_present = d.find(clause_kind::if_present) ? 1 : 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const data_item& one = items[i];
    if (one.is_member() || (!one.is_behind_pointer && one.of->type.is != type_form::array))
      not_translated(d.where, fmt::format("use_device of \"{}\", which is no pointer and no array,", one.path));
    const std::string address = fmt::format("stretto_device_{}_{}", number, i);
    addresses += fmt::format("void *{} = {} ? stretto_acc_use_device((void *)({}), {}, \"{}\", {}) : (void *)({}); ",
                             address, condition_text(d), one.path, if_present, one.path, place_text(d.where), one.path);
    names += fmt::format("__typeof__(({0}) + 0) {0} = (__typeof__(({0}) + 0)){1}; (void){0}; ", one.path, address);
  }
  return fmt::format("{{ {}{{ {}", addresses, names);
}

std::string constructor_text(const directive& d, const std::vector<data_item>& items, unsigned number) {
  const std::string name = items_name(number);
  return fmt::format(
      "static __attribute__((constructor)) void stretto_acc_declare_{}(void) {{ {} stretto_acc_enter({}, {}, {}, {}); "
      "}}",
      number, declaration_of(items, name), name, items.size(), no_queue, place_text(d.where));
}

}  // namespace stretto::cc::acc
