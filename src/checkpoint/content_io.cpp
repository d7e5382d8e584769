#include "checkpoint/content_io.hpp"

#include <span>

#include <stretto/job.hpp>

#include "buffers/buffers_floor.hpp"
#include "buffers/buffers_state.hpp"
#include "checkpoint/checkpoint_json.hpp"
#include "dist/build_ids.hpp"

namespace stretto::checkpoints {

checkpoint_content content_of_this_job() {
  checkpoint_content c;
  c.program = dist::program_build();
  c.library = dist::library_build();
  c.nodes = job_nodes();
  return c;
}

void write_contents(const std::filesystem::path& root, const checkpoint_content& c) {
  write_text(root, contents_name, text_of(c));
}

checkpoint_content read_table(const std::filesystem::path& directory) {
  const auto file = directory / contents_name;
  std::error_code e;
  if (!std::filesystem::is_directory(directory, e) || !std::filesystem::exists(file, e))
    throw error("C06", directory.string() + " is not a checkpoint")
        .because(std::filesystem::is_directory(directory, e) ? "it has no file checkpoint.json"
                                                             : "there is no such directory")
        .remedy("name the directory that save_checkpoint was given");
  const auto bytes = read_plain_file(file);
  return content_in(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), directory);
}

void warn_of_old_format(const checkpoint_content& c) {
  if (!c.has_old_format || this_node() != 0) return;
  buffers::state_of(*base::require_current("restore").runtime)
      ->warn("the checkpoint " + c.directory.string() +
             " was written by an earlier version, whose table cannot show that chunks were exchanged");
}

void require_valid_name(const std::string& name, const std::source_location& where) {
  if (is_valid_name(name)) return;
  throw error("C08", "a checkpoint cannot store anything under the name \"" + name + "\"")
      .fact("called", where)
      .because("it becomes the name of an array and of a directory")
      .remedy("choose a name without '/', of 1 to 200 characters, that begins neither with '.' nor with \"__\"");
}

checkpoint_content read_contents(const std::filesystem::path& directory) {
  checkpoint_content c = read_table(directory);
  for (const auto& [name, f] : c.files) read_file(directory, f);
  return c;
}

}  // namespace stretto::checkpoints
