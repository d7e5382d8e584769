#include "event/failure.hpp"

#include <stretto/error.hpp>

#include "base/count_down.hpp"
#include "base/node_numbers.hpp"

namespace stretto {
namespace {

std::string name_of(const failure& f) {
  const std::string who = f.who().empty() ? "an event" : f.who();
  return f.node() == failure::here ? who : who + " on " + base::node_name(static_cast<std::uint16_t>(f.node()));
}

/// "task "halo" on N2, halo.cpp:41".
std::string described(const failure& f) {
  const std::string where = short_location(f.where());
  return where.empty() ? name_of(f) : name_of(f) + ", " + where;
}

/// Chains can be as long as the program; a message shows only both ends.
constexpr unsigned most_shown = 6;

}  // namespace

std::string exception_text(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

std::exception_ptr failure::as_exception(const std::source_location* asked) const {
  mark_observed();
  return unobserved_exception(asked);
}

std::exception_ptr failure::unobserved_exception(const std::source_location* asked) const {
  if (!because_) return exception_;
  const failure& first = root();
  error chain("E10", name_of(*this) + " was skipped because " + name_of(first) + " failed");
  chain.fact("skipped", described(*this));
  unsigned links = 0;
  for (auto* f = because_; f != &first; f = f->because_) ++links;
  unsigned shown = 0;
  for (auto* f = because_; f != &first; f = f->because_, ++shown) {
    if (links > most_shown && shown == most_shown / 2)
      chain.fact("skipped", std::to_string(links - most_shown) + " more");
    if (links <= most_shown || shown < most_shown / 2 || shown >= links - most_shown / 2)
      chain.fact("skipped", described(*f));
  }
  chain.fact("failed", described(first));
  if (asked) chain.fact("waited at", *asked);
  chain.because(exception_text(first.exception_)).caused_by(first.exception_);
  return std::make_exception_ptr(poisoned(std::move(chain), first.exception_));
}

void failure::release() const noexcept {
  if (base::count_down(references_)) delete this;
}

// Chains can be as long as the program: the links are destroyed in a loop, not by recursion.
failure::~failure() {
  for (const failure* f = because_; f && base::count_down(f->references_);) {
    const failure* next = std::exchange(f->because_, nullptr);
    delete f;
    f = next;
  }
}

void failure::raise(const std::source_location* asked) const { std::rethrow_exception(as_exception(asked)); }

}  // namespace stretto
