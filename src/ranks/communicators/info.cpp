// info.cpp - a short list of keys is searched from its beginning.
#include "ranks/communicators/info.hpp"

#include <algorithm>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

namespace {

void check_key(std::string_view key) {
  if (key.empty()) throw call_error(error_class::info_key, "the key is empty");
  if (key.size() >= info::key_limit) {
    throw call_error(error_class::info_key,
                     "the key has " + std::to_string(key.size()) + " characters, more than MPI_MAX_INFO_KEY - 1");
  }
}

void set_part(info& target, std::string_view key, std::string_view value) {
  if (!value.empty()) target.set(key, value.substr(0, info::value_limit - 1));
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    if (!all.empty()) all += ' ';
    all += text;
  }
  return all;
}

}  // namespace

void info::set(std::string_view key, std::string_view value) {
  check_key(key);
  if (value.size() >= value_limit) {
    throw call_error(error_class::info_value, "the value of \"" + std::string(key) + "\" has " +
                                                  std::to_string(value.size()) +
                                                  " characters, more than MPI_MAX_INFO_VAL - 1");
  }
  const auto found = std::ranges::find(entries_, key, &entry::key);
  if (found != entries_.end()) {
    found->value = value;
  } else {
    entries_.push_back({std::string(key), std::string(value)});
  }
}

void info::remove(std::string_view key) {
  check_key(key);
  const auto found = std::ranges::find(entries_, key, &entry::key);
  if (found == entries_.end()) {
    throw call_error(error_class::info_nokey, "there is no key \"" + std::string(key) + '"');
  }
  entries_.erase(found);
}

std::optional<std::string_view> info::find(std::string_view key) const {
  check_key(key);
  const auto found = std::ranges::find(entries_, key, &entry::key);
  if (found == entries_.end()) return std::nullopt;
  return found->value;
}

std::string_view info::key(int index) const {
  if (index < 0 || index >= size()) {
    throw call_error(error_class::argument,
                     "key " + std::to_string(index) + " of an info with " + std::to_string(size()) + " keys");
  }
  return entries_[static_cast<std::size_t>(index)].key;
}

info environment_info(const program_start& start) {
  info environment;
  set_part(environment, "command", start.command);
  set_part(environment, "argv", joined(start.arguments));
  if (start.ranks > 0) {
    environment.set("maxprocs", std::to_string(start.ranks));
    environment.set("soft", std::to_string(start.ranks));
  }
  set_part(environment, "host", start.host);
  set_part(environment, "arch", start.architecture);
  set_part(environment, "wdir", start.working_folder);
  set_part(environment, "thread_level", start.thread_level);
  return environment;
}

}  // namespace stretto::ranks
