// The web page: a template (web/, built into share/view) with a picture put in.
#pragma once
#include <string>

#include "trace/result.h"
#include "view/picture.h"

namespace ana::view {

// The page that the tool was installed with.
Result<std::string> find_template();
// Writes the page to `path`, readable by the user alone as traces are; gives its size.
Result<uint64_t> write_page(const Picture& picture, const std::string& template_file, const std::string& path);

// Writes to a file that only the user can read; of an error the file is removed again.
Status write_private_file(const std::string& path, const std::string& contents);

}  // namespace ana::view
