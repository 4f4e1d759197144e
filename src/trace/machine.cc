#include "trace/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace ana {

namespace {

// Flags of /proc/cpuinfo by which libc and other libraries choose code. The rest is the kernel's business.
constexpr std::array<std::string_view, 27> kFeatures = {
    "abm",      "adx",    "aes",  "bmi1",   "bmi2",    "cx16",  "erms",       "f16c",  "fma",
    "fsgsbase", "fsrm",   "gfni", "hle",    "lahf_lm", "movbe", "pclmulqdq",  "pni",   "popcnt",
    "rdrand",   "rdseed", "rtm",  "sha_ni", "ssse3",   "vaes",  "vpclmulqdq", "xsave", "xsavec"};
constexpr std::array<std::string_view, 4> kFeaturePrefixes = {"avx", "sse", "amx_", "xsaveopt"};

bool matters(std::string_view flag) {
  if (std::find(kFeatures.begin(), kFeatures.end(), flag) != kFeatures.end()) return true;
  return std::any_of(kFeaturePrefixes.begin(), kFeaturePrefixes.end(),
                     [&](std::string_view prefix) { return flag.starts_with(prefix); });
}

}  // namespace

Machine parse_cpuinfo(const std::string& text) {
  Machine machine;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    std::string value = line.substr(colon + 2);
    if (machine.cpu.empty() && line.starts_with("model name")) machine.cpu = value;
    if (!machine.features.empty() || !line.starts_with("flags")) continue;
    std::istringstream flags(value);
    std::copy_if(std::istream_iterator<std::string>(flags), {}, std::back_inserter(machine.features), matters);
    std::sort(machine.features.begin(), machine.features.end());
  }
  return machine;
}

Machine this_machine() {
  std::ifstream file("/proc/cpuinfo");
  Machine machine = parse_cpuinfo({std::istreambuf_iterator<char>(file), {}});
  utsname name{};
  if (uname(&name) == 0) machine.kernel = std::string(name.sysname) + " " + name.release;
  machine.cores = static_cast<uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return machine;
}

std::vector<std::string> missing_features(const Machine& recorded, const Machine& present) {
  std::vector<std::string> missing;
  for (const std::string& feature : recorded.features) {
    if (std::find(present.features.begin(), present.features.end(), feature) == present.features.end()) {
      missing.push_back(feature);
    }
  }
  return missing;
}

}  // namespace ana
