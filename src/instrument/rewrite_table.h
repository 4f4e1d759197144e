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
    {"bcmp", "ippz"},     {"memchr", "ppiz"},  {"memcmp", "ippz"},     {"mempcpy", "pppz"},  {"memrchr", "ppiz"},
    {"stpcpy", "ppp"},    {"stpncpy", "pppz"}, {"strcasecmp", "ipp"},  {"strcat", "ppp"},    {"strchr", "ppi"},
    {"strcmp", "ipp"},    {"strcpy", "ppp"},   {"strdup", "pp"},       {"strlen", "zp"},     {"strncasecmp", "ippz"},
    {"strncat", "pppz"},  {"strncmp", "ippz"}, {"strncpy", "pppz"},    {"strndup", "ppz"},   {"strnlen", "zpz"},
    {"strrchr", "ppi"},   {"strstr", "ppp"},
    {"__mempcpy_chk", "pppzz"}, {"__stpcpy_chk", "pppz"}, {"__stpncpy_chk", "pppzz"}, {"__strcat_chk", "pppz"},
    {"__strcpy_chk", "pppz"}, {"__strncat_chk", "pppzz"}, {"__strncpy_chk", "pppzz"},
};

}  // namespace ana
