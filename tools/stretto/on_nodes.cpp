#include "stretto/on_nodes.hpp"

#include <sstream>

#include "job/look.hpp"

namespace stretto::tools {

int run_on_nodes(const std::string& nodes, const invocation& call, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"-n", nodes};
  for (std::size_t i = 0; i < call.options.origin.size(); ++i) {
    const base::option& row = base::option_table()[i];
    if (call.options.origin[i] == "flag") words.push_back(base::flag_of(row) + "=" + base::spelt(row, call.options.values));
  }
  words.insert(words.end(), {"--", job::own_path()});
  std::istringstream name{std::string(call.name)};
  for (std::string word; name >> word;) words.push_back(word);
  for (const std::string& word : arguments)
    if (!word.empty()) words.push_back(word);
  return run_run({"run", "", call.options, words});
}

}  // namespace stretto::tools
