#include "buffers/failed_run.hpp"

#include <algorithm>

#include "event/failure.hpp"

namespace stretto::buffers {
namespace {

constexpr const char* code = "N17";
constexpr std::size_t most_words = 4096, most_facts = 16;

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

void put(base::writer& w, const failed_run& r) {
  w.put(r.node).put(r.tasks).put_text(r.where, most_words);
  const std::size_t facts = std::min(r.why.facts().size(), most_facts);
  for (const std::string* text : {&r.why.code(), &r.why.sentence(), &r.why.why(), &r.why.what_to_try()})
    w.put_text(*text, most_words);
  w.put(std::uint64_t{facts});
  for (std::size_t i = 0; i < facts; ++i)
    w.put_text(r.why.facts()[i].first, most_words).put_text(r.why.facts()[i].second, most_words);
}

failed_run get_failed_run(base::reader& encoded) {
  failed_run r;
  r.node = encoded.get<std::uint32_t>();
  r.tasks = encoded.get<std::uint64_t>();
  r.where = encoded.get_text();
  std::string its_code = encoded.get_text(), sentence = encoded.get_text(), why = encoded.get_text(),
              remedy = encoded.get_text();
  r.why = error(std::move(its_code), std::move(sentence));
  if (!why.empty()) r.why.because(std::move(why));
  if (!remedy.empty()) r.why.remedy(std::move(remedy));
  for (std::uint64_t left = encoded.get<std::uint64_t>(); left > 0 && encoded.is_whole(); --left) {
    std::string name = encoded.get_text(), value = encoded.get_text();
    r.why.fact(std::move(name), std::move(value));
  }
  return r;
}

}  // namespace stretto::buffers
