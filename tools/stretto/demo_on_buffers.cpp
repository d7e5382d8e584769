#include "stretto/demo_on_buffers.hpp"

#include <fmt/format.h>

#include <span>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include "demo/wave/output_folder.hpp"
#include "stretto/self_launch.hpp"

namespace stretto::tools {

demo_on_buffers::demo_on_buffers(const invocation& call) : call_(call), words_(call) {
  words_
      .add_option("-n,--nodes", nodes_,
                  "start that many nodes; else this process alone, or the job that it is started in")
      ->type_name("NODES");
}

CLI::Option* demo_on_buffers::number(const std::string& flag, int& value, const std::string& text, CLI::Range range) {
  return words_.add_option(flag, value, fmt::format("{}; else {}", text, value))
      ->check(range.description(""))
      ->type_name("N");
}

std::optional<int> demo_on_buffers::read(std::string_view pictures) {
  words_.add_option("--out", out_, fmt::format("{}; else out", pictures))->type_name("FOLDER");
  words_.add_json(json_);
  if (!words_.read()) return 0;
  wave::prepare_output(out_);
  if (!nodes_.empty()) return run_on_nodes(nodes_, call_, words_.given_but("nodes"));
  return std::nullopt;
}

int demo_on_buffers::run(const std::function<bool()>& program) const {
  bool is_so = true;
  const base::settings& told = call_.options.values;
  runtime rt({.workers = static_cast<std::uint32_t>(told.workers),
              .stack_bytes = told.stack_size,
              .seed = told.seed,
              .devices = told.devices});
  rt.run([&] { is_so = program(); });
  return is_so ? 0 : 1;
}

std::string demo_on_buffers::on_nodes() {
  return fmt::format("on {} node{}", job_nodes(), job_nodes() == 1 ? "" : "s");
}

void demo_on_buffers::print(const nlohmann::ordered_json& all) { fmt::print("{}\n", all.dump(2)); }

void write_text(const std::filesystem::path& file, const std::string& text) {
  wave::write_file(file, std::as_bytes(std::span(text)));
}

}  // namespace stretto::tools
