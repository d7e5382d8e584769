#include "stretto/self_launch.hpp"

#include <sstream>

#include "job/launcher_discovery.hpp"
#include "stretto/terminal.hpp"

namespace stretto::tools {

int run_on_nodes(const std::string& nodes, const invocation& call, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"-n", nodes};
  for (std::size_t i = 0; i < call.options.origin.size(); ++i) {
    const base::option& row = base::option_table()[i];
    if (call.options.origin[i] == "flag")
      words.push_back(base::flag_of(row) + "=" + base::spelt(row, call.options.values));
  }
  // A launcher may give its processes a terminal where there is none, or none where there is one.
  words.push_back(may_colour(call.options.values.color, stdout) ? "--color=on" : "--color=off");
  words.push_back(fits(call.options.values.progress, stderr) ? "--progress=on" : "--progress=off");
  words.insert(words.end(), {"--", job::own_path()});
  std::istringstream name{std::string(call.name)};
  for (std::string word; name >> word;) words.push_back(word);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_run({"run", "", call.options, words});
}

}  // namespace stretto::tools
