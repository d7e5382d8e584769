// source_preprocessor.hpp - runs the compiler's preprocessor on sources with directives of OpenACC, and hands its
// output to the translator.
//
// Threads     the main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/whole_file.hpp"
#include "cc/acc/preprocessed_text.hpp"
#include "cc/language.hpp"

namespace stretto::cc::acc {

/// The output of `command`, which preprocesses `source` to standard output. Throws W60 if it cannot be started or
/// fails.
preprocessed_text preprocess(std::vector<std::string> command, const std::string& source);

/// Prints the directives of each source, and errors for those that are wrong. Returns 0, or 1 if there were errors.
int show_directives(const std::vector<std::string>& preprocessor, const std::vector<std::string>& sources,
                    language language);

/// A temporary folder for translated sources.
class translated_sources {
 public:
  /// Translates a source by the output of `preprocessor`. Returns the path of the result, which compilers take for
  /// preprocessed C or C++ by its name; empty after errors, which it has printed. Throws W60 if the folder cannot be
  /// made.
  std::string add(const std::vector<std::string>& preprocessor, const std::string& source, language language);

 private:
  std::optional<base::temporary_folder> folder_;
  unsigned count_ = 0;
};

}  // namespace stretto::cc::acc
