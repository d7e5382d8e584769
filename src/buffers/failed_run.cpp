#include "buffers/failed_run.hpp"

#include "event/failure.hpp"

namespace stretto::buffers {
namespace {

constexpr const char* code = "N17";
constexpr std::size_t most_facts = 16;

}  // namespace

failed_run failed_run_of(std::uint32_t node, std::uint64_t tasks, const std::exception_ptr& why,
                         const std::source_location& where) {
  failed_run r{.node = node, .tasks = tasks, .where = short_location(where)};
  try {
    std::rethrow_exception(why);
  } catch (const error& e) {
    r.why = e;
  } catch (...) {
    r.why = error("", exception_text(why));
  }
  return r;
}

error error_of(const failed_run& r) {
  const std::string its_code = r.why.code().empty() ? "" : r.why.code() + ": ";
  error e(code, "the run of node " + std::to_string(r.node) +
                    " has ended with an error; buffer operations that depend on it cannot complete");
  e.fact("its run", r.where).fact("its error", its_code + r.why.sentence());
  for (const auto& [name, value] : r.why.facts()) e.fact(name, value);
  e.because(r.why.why().empty() ? "all nodes make the same buffer calls, and each computes a part that others use"
                                : r.why.why());
  e.remedy(r.why.what_to_try().empty() ? "fix the error there; catch an exception inside run on all nodes or on none"
                                       : r.why.what_to_try());
  return e.caused_by(std::make_exception_ptr(r.why));
}

std::optional<error> failed_run_in(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const poisoned& p) {
    return p.root() ? failed_run_in(p.root()) : std::nullopt;
  } catch (const error& e) {
    return e.code() == code ? std::optional(e) : std::nullopt;
  } catch (...) {
    return std::nullopt;
  }
}

run_failure message_of(const failed_run& r) {
  run_failure m{.node = r.node,
                .tasks = r.tasks,
                .where = shortened(r.where),
                .code = shortened(r.why.code()),
                .sentence = shortened(r.why.sentence()),
                .why = shortened(r.why.why()),
                .remedy = shortened(r.why.what_to_try())};
  for (const auto& [name, value] : r.why.facts()) {
    if (m.facts.size() == most_facts) break;
    m.facts.push_back({shortened(name), shortened(value)});
  }
  return m;
}

failed_run failed_run_of(const run_failure& m) {
  failed_run r{.node = m.node, .tasks = m.tasks, .where = m.where, .why = error(m.code, m.sentence)};
  if (!m.why.empty()) r.why.because(m.why);
  if (!m.remedy.empty()) r.why.remedy(m.remedy);
  for (const run_failure::fact& f : m.facts) r.why.fact(f.name, f.value);
  return r;
}

}  // namespace stretto::buffers
