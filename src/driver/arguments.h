// Understands a command line of clang as far as the drivers need: what is being done, to what, and which options they
// cannot honour. Everything else is passed on untouched.
#pragma once
#include <string>
#include <vector>

namespace ana {

struct CommandLine {
  std::vector<std::string> arguments;  // for clang, without what was left out
  bool compiles = false;               // some C or C++ source becomes code
  bool preprocesses = false;           // -E
  bool has_c_source = false;
  bool has_cxx_source = false;
  bool links = false;                  // the linker makes a program
  bool shared = false;                 // ... or a shared library
  bool has_lto = false;                // -flto was given, and left out
  bool has_openmp = false;
  bool wants_version = false;          // --anaphora-version
  std::vector<std::string> pass_options;  // -ana-...: for runs of the compiler, not of the assembler
  std::vector<std::string> assembly;      // files that the assembler gets
  bool sees_libstdcxx = true;          // C++ headers are searched where clang finds them
  std::string refusal;                 // not empty: what is wrong, and what to do about it

  // clang++ takes *.c for C++, too, though not what -x calls C.
  bool reads_cxx(bool called_as_cxx) const {
    return (compiles || preprocesses) && (has_cxx_source || (called_as_cxx && has_c_source));
  }
};

// `arguments` without the program's name. Response files (@file) are looked into. They are passed on as they are,
// unless something in them has to be left out: then their contents stand in their place.
CommandLine understand(const std::vector<std::string>& arguments);

}  // namespace ana
