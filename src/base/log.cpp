#include "base/log.hpp"

#include <spdlog/details/console_globals.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <mutex>

#include "base/fork_reset.hpp"

namespace stretto::base {
namespace {

constexpr const char* pattern = "stretto %n %^%l%$: %v";

// The console mutex of spdlog; another thread may hold it during fork().
const fork_reset console_in_child([]() noexcept { std::construct_at(&spdlog::details::console_mutex::mutex()); });

spdlog::level::level_enum to_spdlog(log_level at) {
  switch (at) {
    case log_level::error: return spdlog::level::err;
    case log_level::warn: return spdlog::level::warn;
    case log_level::info: return spdlog::level::info;
    case log_level::debug: return spdlog::level::debug;
    case log_level::off: break;
  }
  return spdlog::level::off;
}

log_level from_spdlog(spdlog::level::level_enum at) {
  switch (at) {
    case spdlog::level::err: return log_level::error;
    case spdlog::level::warn: return log_level::warn;
    case spdlog::level::info: return log_level::info;
    default: return log_level::debug;
  }
}

class calling_sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit calling_sink(logger::sink to) : to_(std::move(to)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    to_(from_spdlog(message.level), std::string_view(line.data(), line.size()));
  }
  void flush_() override {}

  logger::sink to_;
};

spdlog::color_mode mode_of(switch_mode colour) {
  switch (colour) {
    case switch_mode::off: return spdlog::color_mode::never;
    case switch_mode::on: return spdlog::color_mode::always;
    case switch_mode::automatic: break;
  }
  const char* refused = std::getenv("NO_COLOR");
  return refused && *refused ? spdlog::color_mode::never : spdlog::color_mode::automatic;
}

}  // namespace

// The level is filtered before anything is formatted, so that spdlog itself lets everything through.
struct logger::backend {
  backend(std::string who, spdlog::sink_ptr sink, std::string line_end) : log(std::move(who), std::move(sink)) {
    log.set_level(spdlog::level::trace);
    log.set_formatter(
        std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::local, std::move(line_end)));
    log.flush_on(spdlog::level::trace);
  }
  spdlog::logger log;
};

logger::logger(std::string who, log_level level, switch_mode colour)
    : level_(level),
      backend_(std::make_unique<backend>(
          std::move(who), std::make_shared<spdlog::sinks::stderr_color_sink_mt>(mode_of(colour)), "\n")) {}

logger::logger(std::string who, log_level level, sink to)
    : level_(level),
      backend_(std::make_unique<backend>(std::move(who), std::make_shared<calling_sink>(std::move(to)), "")) {}

logger::~logger() = default;

void logger::write_shown(log_level at, fmt::string_view text, fmt::format_args args) {
  backend_->log.log(to_spdlog(at), fmt::vformat(text, args));
}

}  // namespace stretto::base
