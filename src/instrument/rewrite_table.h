// Library functions that the runtime implements as ranged accesses: `name` becomes `__ana_name`, with the same
// signature.
//
// A signature is the result and the arguments, one letter each: p pointer, i int, z size_t. A call is rewritten only if
// it is a direct call of an external function with exactly this signature.
#pragma once

namespace ana {

struct NameRewrite {
  const char* name;
  const char* signature;
};

constexpr NameRewrite kNameRewrites[] = {
    {"bcmp", "ippz"},    {"memchr", "ppiz"},  {"memcmp", "ippz"},  {"mempcpy", "pppz"}, {"stpcpy", "ppp"},
    {"strcat", "ppp"},   {"strchr", "ppi"},   {"strcmp", "ipp"},   {"strcpy", "ppp"},   {"strdup", "pp"},
    {"strlen", "zp"},    {"strncat", "pppz"}, {"strncmp", "ippz"}, {"strncpy", "pppz"}, {"strrchr", "ppi"},
    {"strstr", "ppp"},
};

}  // namespace ana
