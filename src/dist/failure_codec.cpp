#include "dist/failure_codec.hpp"

#include <cxxabi.h>

#include <stretto/error.hpp>
#include <stretto/remote.hpp>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <typeinfo>
#include <vector>

#include "dist/program_constants.hpp"
#include "event/event_floor.hpp"

namespace stretto::dist {
namespace {

constexpr std::size_t most_links = 24;  // longer chains keep both ends
constexpr std::size_t most_text = 1000, most_name = 100, most_facts = 16;
constexpr unsigned most_causes = 3;  // nested causes of an error

/// other_with_node: of another type, and its text names the node already.
enum class kind : std::uint8_t { none, runtime_error, error, other, other_with_node };

/// Writes texts up to a total size.
class budget {
 public:
  explicit budget(writer& to) noexcept : to_(to) {}
  void put(std::string_view text, std::size_t most) {
    const std::size_t n = std::min({text.size(), most, left_});
    to_.put_text(text, n);
    left_ -= n;
  }

 private:
  writer& to_;
  std::size_t left_ = 4000;
};

void write_error(writer& to, budget& texts, const error& e, unsigned depth);

void write_other(writer& to, budget& texts, kind what, std::string_view type, std::string_view message,
                 std::string_view text) {
  to.put(what);
  texts.put(type, most_name);
  texts.put(message, most_text);
  texts.put(text, most_name + most_text);
}
void write_other(writer& to, budget& texts, const std::string& type, const std::string& message) {
  write_other(to, texts, kind::other, type, message, type + ": " + message);
}

/// The type name of the current exception: "solver::diverged".
std::string name_of_current_type() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (!type) return "an unknown type";
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr),
                                                          std::free);
  return plain ? plain.get() : type->name();
}

void write_exception(writer& to, budget& texts, const std::exception_ptr& exception, unsigned depth) {
  if (!exception || depth > most_causes) {
    to.put(kind::none);
    return;
  }
  try {
    std::rethrow_exception(exception);
  } catch (const error& e) {
    write_error(to, texts, e, depth);
  } catch (const remote_exception& e) {
    write_other(to, texts, kind::other_with_node, e.type(), e.message(), e.what());
  } catch (const std::runtime_error& e) {
    if (typeid(e) != typeid(std::runtime_error)) return write_other(to, texts, name_of_current_type(), e.what());
    to.put(kind::runtime_error);
    texts.put(e.what(), most_text);
  } catch (...) {
    write_other(to, texts, name_of_current_type(), exception_text(exception));
  }
}

void write_error(writer& to, budget& texts, const error& e, unsigned depth) {
  to.put(kind::error);
  texts.put(e.code(), most_name);
  texts.put(e.sentence(), most_text);
  texts.put(e.why(), most_text);
  texts.put(e.what_to_try(), most_text);
  const auto& facts = e.facts();
  to.put(static_cast<std::uint8_t>(std::min(facts.size(), most_facts)));
  for (std::size_t i = 0; i < facts.size() && i < most_facts; ++i) {
    texts.put(facts[i].first, most_name);
    texts.put(facts[i].second, most_text);
  }
  write_exception(to, texts, e.cause(), depth + 1);
}

/// `node` is empty if the exception names it already. `depth` bounds the recursion: no node writes deeper causes.
std::exception_ptr read_exception(reader& from, const std::string& node, unsigned depth) {
  const auto what = from.get<kind>();
  if (what == kind::none || !from.is_whole()) return {};
  if (what > kind::other_with_node || depth > most_causes) {
    from.refuse();
    return {};
  }
  const std::string suffix = node.empty() ? std::string() : " (on " + node + ")";
  if (what == kind::runtime_error) {
    const std::string message = from.get_text();
    return std::make_exception_ptr(std::runtime_error(message + suffix));
  }
  if (what == kind::other || what == kind::other_with_node) {
    std::string type = from.get_text(), message = from.get_text(), text = from.get_text();
    if (what == kind::other) text += suffix;
    return std::make_exception_ptr(remote_exception(std::move(type), std::move(message), text));
  }
  std::string code = from.get_text(), sentence = from.get_text(), why = from.get_text(), remedy = from.get_text();
  error e(std::move(code), std::move(sentence));
  const auto facts = from.get<std::uint8_t>();
  if (facts > most_facts) from.refuse();
  for (auto n = facts; n > 0 && from.is_whole(); --n) {
    std::string name = from.get_text(), value = from.get_text();
    e.fact(std::move(name), std::move(value));
  }
  if (!node.empty()) e.fact("on node", node);
  if (!why.empty()) e.because(std::move(why));
  if (!remedy.empty()) e.remedy(std::move(remedy));
  if (const auto cause = read_exception(from, {}, depth + 1)) e.caused_by(cause);
  return std::make_exception_ptr(std::move(e));
}

}  // namespace

void failure_codec::write(writer& to, const failure& f) {
  const failure& root = f.root();
  // The node that first reports a root names it: it has the original exception.
  if (!root.id() && root.name_root(std::uint64_t{job_.node()} << 48 | ++named_)) keep(failure_ref::share(&root));
  std::vector<const failure*> links;
  for (const failure* l = &f; l != &root; l = l->because()) links.push_back(l);
  if (links.size() > most_links) links.erase(links.begin() + most_links / 2, links.end() - most_links / 2);

  const auto put = [&](const failure& l) {
    to.put(static_cast<std::int32_t>(l.node() == failure::here ? job_.node() : l.node()));
    to.put(encode(l.where(), job_.node()));
    to.put_text(l.who(), most_name);
  };
  to.put(root.id());
  to.put(static_cast<std::uint8_t>(root.node() == failure::here));
  put(root);
  budget texts(to);
  write_exception(to, texts, root.exception(), 0);
  to.put(static_cast<std::uint8_t>(links.size()));
  for (auto l = links.rbegin(); l != links.rend(); ++l) put(**l);
}

failure_ref failure_codec::read(reader& from, rank sender) {
  const std::uint16_t by = job_.node_of(sender);
  // A failure that returns to its node is local again.
  const auto node_here = [&](std::int32_t node) { return node == job_.node() ? failure::here : node; };
  const auto id = from.get<std::uint64_t>();
  const auto first_hand = from.get<std::uint8_t>();
  if (!id || first_hand > 1) from.refuse();
  auto node = from.get<std::int32_t>();
  auto where = from.get<std::uint64_t>();
  auto who = from.get_text();
  const std::string on = first_hand ? base::node_name(static_cast<std::uint16_t>(node)) : std::string();
  const auto exception = read_exception(from, on, 0);
  failure_ref chain = known(id);
  if (!chain) {
    chain = failure_ref::adopt(
        new failure(exception ? exception : std::make_exception_ptr(std::runtime_error("a failure on node " + on)),
                    std::move(who), decode(where, by), node_here(node)));
    chain->name_root(id);
    if (from.is_whole()) chain = keep(std::move(chain));  // else the whole one may come later
  }
  const auto links = from.get<std::uint8_t>();
  if (links > most_links) from.refuse();
  for (auto n = links; n > 0 && from.is_whole(); --n) {
    node = from.get<std::int32_t>();
    where = from.get<std::uint64_t>();
    who = from.get_text();
    chain = failure_ref::adopt(new failure(*chain.get(), std::move(who), decode(where, by), node_here(node)));
  }
  return chain;
}

failure_ref failure_codec::known(std::uint64_t id) {
  const std::scoped_lock lock(lock_);
  const auto it = kept_.find(id);
  return it == kept_.end() ? failure_ref() : it->second;
}

failure_ref failure_codec::keep(failure_ref root) {
  failure_ref oldest;  // destroyed after the lock is released, because its exception belongs to the program
  const std::scoped_lock lock(lock_);
  const auto [it, is_new] = kept_.try_emplace(root->id(), root);
  if (!is_new) return it->second;
  const failure_ref now = it->second;
  order_.push_back(root->id());
  if (order_.size() > most_kept) {
    const auto at = kept_.find(order_.front());
    oldest = std::move(at->second);
    kept_.erase(at);
    order_.pop_front();
  }
  return now;
}

}  // namespace stretto::dist
