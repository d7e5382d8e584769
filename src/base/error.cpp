#include <stretto/error.hpp>

#include <nlohmann/json.hpp>

namespace stretto {
namespace {

using json = nlohmann::ordered_json;

json tree_of(const error& e);

json tree_of(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const error& e) {
    return tree_of(e);
  } catch (const std::exception& e) {
    return {{"sentence", e.what()}};
  } catch (...) {
    return {{"sentence", "an exception that is not a std::exception"}};
  }
}

json tree_of(const error& e) {
  json facts = json::array();
  for (const auto& [name, value] : e.facts()) facts.push_back({{"name", name}, {"value", value}});
  json all{{"code", e.code()}, {"sentence", e.sentence()}, {"facts", std::move(facts)}};
  if (!e.why().empty()) all["because"] = e.why();
  if (!e.what_to_try().empty()) all["try"] = e.what_to_try();
  if (e.cause()) all["cause"] = tree_of(e.cause());
  return all;
}

}  // namespace

struct error::content {
  std::string code, sentence, because, remedy;
  std::vector<std::pair<std::string, std::string>> facts;
  std::exception_ptr cause;
  std::string text;

  void render() {
    text = "error " + code + ": " + sentence;
    const auto line = [this](const std::string& name, const std::string& value) {
      if (value.empty()) return;
      constexpr std::size_t column = 12;
      text += "\n  " + name + std::string(name.size() < column ? column - name.size() : 1, ' ') + value;
    };
    for (const auto& [name, value] : facts) line(name, value);
    line("because", because);
    line("try", remedy);
  }
};

error::error(std::string code, std::string sentence) : content_(std::make_shared<content>()) {
  content_->code = std::move(code);
  content_->sentence = std::move(sentence);
  content_->render();
}

error::content& error::own() {
  if (content_.use_count() > 1) content_ = std::make_shared<content>(*content_);
  return *content_;
}

error& error::fact(std::string name, std::string value) & {
  own().facts.emplace_back(std::move(name), std::move(value));
  content_->render();
  return *this;
}
error& error::fact(std::string name, const std::source_location& where) & {
  return fact(std::move(name), short_location(where));
}
error& error::because(std::string why) & {
  own().because = std::move(why);
  content_->render();
  return *this;
}
error& error::remedy(std::string what_to_try) & {
  own().remedy = std::move(what_to_try);
  content_->render();
  return *this;
}

error& error::caused_by(std::exception_ptr cause) & {
  own().cause = std::move(cause);
  return *this;
}

error&& error::fact(std::string name, std::string value) && {
  return std::move(fact(std::move(name), std::move(value)));
}
error&& error::fact(std::string name, const std::source_location& where) && {
  return std::move(fact(std::move(name), where));
}
error&& error::because(std::string why) && { return std::move(because(std::move(why))); }
error&& error::remedy(std::string what) && { return std::move(remedy(std::move(what))); }
error&& error::caused_by(std::exception_ptr cause) && { return std::move(caused_by(std::move(cause))); }

const std::string& error::code() const noexcept { return content_->code; }
const std::string& error::sentence() const noexcept { return content_->sentence; }
const std::vector<std::pair<std::string, std::string>>& error::facts() const noexcept { return content_->facts; }
const std::string& error::why() const noexcept { return content_->because; }
const std::string& error::what_to_try() const noexcept { return content_->remedy; }
const std::exception_ptr& error::cause() const noexcept { return content_->cause; }
const char* error::what() const noexcept { return content_->text.c_str(); }
std::string error::to_json() const { return tree_of(*this).dump(-1, ' ', false, json::error_handler_t::replace); }

std::string short_location(const std::source_location& where) {
  std::string_view file = where.file_name();
  if (const auto slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  return where.line() ? std::string(file) + ":" + std::to_string(where.line()) : std::string(file);
}

}  // namespace stretto
