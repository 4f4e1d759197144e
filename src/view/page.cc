#include "view/page.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "trace/unique_fd.h"
#include "view/columns.h"

namespace ana::view {

namespace {

// Where the template wants the picture; it stands there once.
constexpr std::string_view kMark = "ANAPHORA-PICTURE-GOES-HERE";

std::string to_base64(const std::vector<uint8_t>& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    size_t n = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; k++) group = group << 8 | (k < n ? bytes[i + k] : 0);
    for (size_t k = 0; k < 4; k++) out += k <= n ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace

Result<std::string> find_template() {
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Error{"cannot find out where this program is: " + error.message()};
  auto page = self.parent_path().parent_path() / "share" / "anaphora" / "view.html";
  if (::access(page.c_str(), R_OK) != 0)
    return Error{fmt::format("{} is missing, so this installation is not complete: install it again", page.string())};
  return page.string();
}

Status write_private_file(const std::string& path, const std::string& contents) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (file.get() < 0) return system_error("cannot write " + path, errno);
  for (size_t done = 0; done < contents.size();) {
    ssize_t n = ::write(file.get(), contents.data() + done, contents.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      int why = errno;
      struct stat info;
      if (::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode)) ::unlink(path.c_str());
      return system_error("cannot write " + path, why);
    }
    done += static_cast<size_t>(n);
  }
  return {};
}

Result<uint64_t> write_page(const Picture& picture, const std::string& template_file, const std::string& path) {
  std::ifstream in(template_file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  std::string page = text.str();
  size_t mark = page.find(kMark);
  if (!in || mark == std::string::npos)
    return Error{template_file + " cannot be read, or is not the page of this tool: install it again"};
  auto packed = compress(to_columns(picture));
  if (!packed) return packed.error();
  page.replace(mark, kMark.size(), to_base64(*packed));
  if (Status s = write_private_file(path, page); !s) return s.error();
  return uint64_t{page.size()};
}

}  // namespace ana::view
