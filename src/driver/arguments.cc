#include "driver/arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "driver/response_file.h"

namespace ana {
namespace {

using namespace std::string_view_literals;

// Options whose value is the next argument. Only those matter whose value could be taken for an input or an option.
constexpr std::array kWithValue = {
    "-o"sv,       "-x"sv,          "-I"sv,        "-D"sv,         "-U"sv,          "-L"sv,         "-l"sv,
    "-T"sv,       "-u"sv,          "-z"sv,        "-e"sv,         "-include"sv,    "-imacros"sv,   "-isystem"sv,
    "-idirafter"sv, "-iprefix"sv,  "-iquote"sv,   "-isysroot"sv,  "-iwithprefix"sv, "-iwithprefixbefore"sv,
    "-MF"sv,      "-MT"sv,         "-MQ"sv,       "-MJ"sv,        "-Xclang"sv,     "-Xlinker"sv,   "-Xpreprocessor"sv,
    "-Xassembler"sv, "-mllvm"sv,   "-target"sv,   "-arch"sv,      "-B"sv,          "-F"sv,         "-G"sv,
    "-A"sv,       "--param"sv,     "--sysroot"sv, "-dumpdir"sv,   "-Xanalyzer"sv,  "-working-directory"sv,
    "-framework"sv, "-rpath"sv,    "--config"sv,  "-gcc-toolchain"sv, "-ivfsoverlay"sv, "-include-pch"sv,
    "-cxx-isystem"sv,
};

// With one of these nothing is compiled to code that could be instrumented.
constexpr std::array kNoCode = {"-E"sv, "-M"sv, "-MM"sv, "-fsyntax-only"sv, "--precompile"sv, "--analyze"sv,
                                "-dumpmachine"sv, "-dumpversion"sv, "--version"sv, "--help"sv, "-help"sv};
constexpr std::array kNoLink = {"-c"sv, "-S"sv, "-emit-llvm"sv, "-r"sv, "--emit-static-lib"sv};

template <typename Set>
bool is_in(const Set& set, std::string_view word) {
  return std::find(set.begin(), set.end(), word) != set.end();
}

bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

std::string_view extension(std::string_view name) {
  size_t dot = name.rfind('.');
  return dot == std::string_view::npos || name.find('/', dot) != std::string_view::npos ? ""sv : name.substr(dot + 1);
}

enum class Input : unsigned char { kC, kCxx, kHeader, kAssembly, kOther };

Input kind_of(std::string_view name, std::string_view language) {
  constexpr std::array kC = {"c"sv, "i"sv, "ll"sv, "bc"sv, "m"sv, "cpp-output"sv, "ir"sv, "objective-c"sv};
  constexpr std::array kCxx = {"cc"sv, "cpp"sv, "cxx"sv, "c++"sv, "C"sv, "CPP"sv, "cp"sv, "CC"sv, "ii"sv, "mm"sv,
                               "c++-cpp-output"sv, "objective-c++"sv};
  constexpr std::array kHeader = {"h"sv, "hh"sv, "hpp"sv, "hxx"sv, "h++"sv, "H"sv, "c-header"sv, "c++-header"sv};
  constexpr std::array kAssembly = {"s"sv, "S"sv, "sx"sv, "asm"sv, "assembler"sv, "assembler-with-cpp"sv};
  std::string_view word = language.empty() || language == "none" ? extension(name) : language;
  if (is_in(kC, word)) return Input::kC;
  if (is_in(kCxx, word)) return Input::kCxx;
  if (is_in(kAssembly, word)) return Input::kAssembly;
  return is_in(kHeader, word) ? Input::kHeader : Input::kOther;
}

// One word of a linker's command line (after -Wl, or -Xlinker): those that forbid undefined symbols cannot hold for a
// library, whose hooks are in the program.
bool forbids_undefined(std::string_view word) { return word == "--no-undefined" || word == "defs" || word == "-zdefs"; }

class Parser {
 public:
  CommandLine run(const std::vector<std::string>& arguments) {
    std::vector<std::string> expanded = expand(arguments);
    for (size_t i = 0; i < expanded.size(); ++i) visit(expanded, i);
    result_.arguments = removed_any_ ? kept_ : arguments;
    result_.compiles = has_source_ && !no_code_;
    if (no_code_) result_.assembly.clear();
    result_.preprocesses = preprocesses_ && !only_dependences_;
    bool links = (has_source_ || has_other_) && !no_code_ && !no_link_;
    result_.links = links && !shared_;
    result_.shared = links && shared_;
    if (result_.refusal.empty() && links && is_static_) {
      result_.refusal =
          "static programs are not supported yet: link dynamically (remove -static or -static-pie); a program must "
          "load its libraries itself to be recorded";
    }
    if (result_.shared) drop_undefined_checks();
    return std::move(result_);
  }

 private:
  static std::vector<std::string> expand(const std::vector<std::string>& arguments) {
    std::vector<std::string> result;
    for (const std::string& word : arguments) {
      if (word.size() > 1 && word[0] == '@') {
        if (auto inner = read_response_file(word.substr(1))) {
          result.insert(result.end(), inner->begin(), inner->end());
          continue;
        }
      }
      result.push_back(word);
    }
    return result;
  }

  void visit(const std::vector<std::string>& words, size_t& i) {
    const std::string& word = words[i];
    if (word == "--anaphora-version") {
      result_.wants_version = true;
    } else if (word == "--every-access") {
      result_.pass_options.push_back("-ana-every-access");
      removed_any_ = true;
      return;
    } else if (word == "-mllvm" && i + 1 < words.size() && starts(words[i + 1], "-ana-")) {
      result_.pass_options.push_back(words[++i]);
      removed_any_ = true;
      return;
    } else if (word == "-flto" || starts(word, "-flto=") || word == "-ffat-lto-objects") {
      result_.has_lto = removed_any_ = true;
      return;
    } else if (word == "-fopenmp" || starts(word, "-fopenmp=")) {
      result_.has_openmp = true;
    } else if (word == "-fno-openmp") {
      result_.has_openmp = false;
    } else if (starts(word, "-fsanitize=") && word != "-fsanitize=") {
      result_.refusal = "sanitizers are not supported together with recording: build without " + word +
                        ", or use clang itself for the build with the sanitizer";
    } else if (word == "-static" || word == "--static" || word == "-static-pie") {
      is_static_ = true;
    } else if (word == "-shared" || word == "--shared") {
      shared_ = true;
    } else if (word == "-nostdinc++" || word == "-nostdinc" || word == "-stdlib=libc++" ||
               starts(word, "--stdlib=libc++")) {
      result_.sees_libstdcxx = false;
    } else if (is_in(kNoCode, word) || starts(word, "-print-") || starts(word, "--print-")) {
      no_code_ = true;
      preprocesses_ |= word == "-E";
      only_dependences_ |= word == "-M" || word == "-MM";
    } else if (is_in(kNoLink, word)) {
      no_link_ = true;
    }
    kept_.push_back(word);
    if (is_in(kWithValue, word)) {
      if (i + 1 < words.size()) take_value(word, words[++i]);
    } else if (starts(word, "-x") && word.size() > 2) {
      language_ = word.substr(2);
    } else if (word.empty() || word[0] != '-' || word == "-") {
      take_input(word);
    }
  }

  void take_input(const std::string& name) {
    Input kind = kind_of(name, language_);
    if (kind == Input::kHeader) return;
    if (kind == Input::kAssembly) result_.assembly.push_back(name);
    bool is_source = kind == Input::kC || kind == Input::kCxx;
    (is_source ? has_source_ : has_other_) = true;
    (kind == Input::kCxx ? result_.has_cxx_source : result_.has_c_source) |= is_source;
  }

  void take_value(const std::string& option, const std::string& value) {
    kept_.push_back(value);
    if (option == "-x") language_ = value;
  }

  void drop_undefined_checks() {
    std::vector<std::string> result;
    bool changed = false;
    for (size_t i = 0; i < kept_.size(); ++i) {
      const std::string& word = kept_[i];
      bool pair = i + 1 < kept_.size();
      if (word == "-z" && pair && kept_[i + 1] == "defs") {
        ++i;
        changed = true;
      } else if (word == "-Xlinker" && pair && forbids_undefined(kept_[i + 1])) {
        // "-Xlinker -z -Xlinker defs": the -z before goes too.
        if (result.size() >= 2 && result[result.size() - 1] == "-z") result.resize(result.size() - 2);
        ++i;
        changed = true;
      } else if (starts(word, "-Wl,")) {
        std::string kept = without_undefined_checks(word);
        changed |= kept != word;
        if (!kept.empty()) result.push_back(kept);
      } else {
        result.push_back(word);
      }
    }
    if (changed) result_.arguments = std::move(result);
  }

  static std::string without_undefined_checks(const std::string& word) {
    std::vector<std::string> parts;
    size_t from = 4;
    while (from <= word.size()) {
      size_t comma = std::min(word.find(',', from), word.size());
      parts.push_back(word.substr(from, comma - from));
      from = comma + 1;
    }
    std::string result;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == "-z" && i + 1 < parts.size() && parts[i + 1] == "defs") {
        ++i;
      } else if (!forbids_undefined(parts[i]) || parts[i] == "defs") {
        result += "," + parts[i];
      }
    }
    return result.empty() ? result : "-Wl" + result;
  }

  CommandLine result_;
  std::vector<std::string> kept_;
  std::string language_;
  bool removed_any_ = false;
  bool has_source_ = false;
  bool has_other_ = false;
  bool no_code_ = false;
  bool preprocesses_ = false;
  bool only_dependences_ = false;
  bool no_link_ = false;
  bool shared_ = false;
  bool is_static_ = false;
};

}  // namespace

CommandLine understand(const std::vector<std::string>& arguments) { return Parser().run(arguments); }

}  // namespace ana
