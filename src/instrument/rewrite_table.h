// Library functions that the runtime implements as ranged accesses: `name` becomes `__ana_name`, with the same
// signature.
//
// A signature is the result and the arguments, one letter each: p pointer, i int, z size_t or long, f float, d double,
// x long double, v void. A call is rewritten only if it is a direct call of an external function with exactly this
// signature.
#pragma once

namespace ana {

struct NameRewrite {
  const char* name;
  const char* signature;
};

constexpr NameRewrite kNameRewrites[] = {
    {"atof", "dp"}, {"atoi", "ip"}, {"atol", "zp"}, {"atoll", "zp"}, {"bcmp", "ippz"}, {"explicit_bzero", "vpz"},
    {"mbstowcs", "zppz"}, {"memccpy", "pppiz"}, {"memchr", "ppiz"}, {"memcmp", "ippz"}, {"memmem", "ppzpz"},
    {"mempcpy", "pppz"}, {"memrchr", "ppiz"}, {"stpcpy", "ppp"}, {"stpncpy", "pppz"}, {"strcasecmp", "ipp"},
    {"strcasestr", "ppp"}, {"strcat", "ppp"}, {"strchr", "ppi"}, {"strchrnul", "ppi"}, {"strcmp", "ipp"},
    {"strcoll", "ipp"}, {"strcpy", "ppp"}, {"strcspn", "zpp"}, {"strdup", "pp"}, {"strlen", "zp"},
    {"strncasecmp", "ippz"}, {"strncat", "pppz"}, {"strncmp", "ippz"}, {"strncpy", "pppz"}, {"strndup", "ppz"},
    {"strnlen", "zpz"}, {"strpbrk", "ppp"}, {"strrchr", "ppi"}, {"strsep", "ppp"}, {"strspn", "zpp"},
    {"strstr", "ppp"}, {"strtod", "dpp"}, {"strtof", "fpp"}, {"strtoimax", "zppi"}, {"strtol", "zppi"},
    {"strtold", "xpp"}, {"strtoll", "zppi"}, {"strtoul", "zppi"}, {"strtoull", "zppi"}, {"strtoumax", "zppi"},
    {"strverscmp", "ipp"}, {"strxfrm", "zppz"}, {"swab", "vppz"}, {"wcscasecmp", "ipp"}, {"wcscat", "ppp"},
    {"wcschr", "ppi"}, {"wcscmp", "ipp"}, {"wcscoll", "ipp"}, {"wcscpy", "ppp"}, {"wcscspn", "zpp"}, {"wcsdup", "pp"},
    {"wcslen", "zp"}, {"wcsncat", "pppz"}, {"wcsncmp", "ippz"}, {"wcsncpy", "pppz"}, {"wcsnlen", "zpz"},
    {"wcspbrk", "ppp"}, {"wcsrchr", "ppi"}, {"wcsspn", "zpp"}, {"wcsstr", "ppp"}, {"wcstod", "dpp"},
    {"wcstol", "zppi"}, {"wcstombs", "zppz"}, {"wcstoul", "zppi"}, {"wmemchr", "ppiz"}, {"wmemcmp", "ippz"},
    {"wmemcpy", "pppz"}, {"wmemmove", "pppz"}, {"wmemset", "ppiz"}, {"__mempcpy_chk", "pppzz"},
    {"__stpcpy_chk", "pppz"}, {"__stpncpy_chk", "pppzz"}, {"__strcat_chk", "pppz"}, {"__strcpy_chk", "pppz"},
    {"__strncat_chk", "pppzz"}, {"__strncpy_chk", "pppzz"},
};

}  // namespace ana
