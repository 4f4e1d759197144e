// Environment, locale, message catalogues, character sets. See libc_wrappers.h.
#include "runtime/interpose/libc_wrappers.h"

#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>
#include <string.h>

#undef gettext
#undef dgettext
#undef dcgettext
#undef ngettext
#undef dngettext
#undef dcngettext

extern "C" {
locale_t __newlocale(int, const char*, locale_t) noexcept;
void __freelocale(locale_t) noexcept;
locale_t __duplocale(locale_t) noexcept;
}

using ana::access::read_string;

ANA_IN_LIBC(char*, getenv, (const char* name) noexcept, (name), read_string(name))
ANA_IN_LIBC(char*, secure_getenv, (const char* name) noexcept, (name), read_string(name))
ANA_IN_LIBC(int, setenv, (const char* name, const char* value, int replace) noexcept, (name, value, replace),
            read_string(name), read_string(value))
ANA_IN_LIBC(int, putenv, (char* text) noexcept, (text), read_string(text))
ANA_IN_LIBC(int, unsetenv, (const char* name) noexcept, (name), read_string(name))
ANA_IN_LIBC(int, clearenv, () noexcept, ())

// The library loads what converts wide characters when a thread first needs it. Here, so that it is the same one in a replay.
static void load_conversions() {
  wchar_t wide;
  mbstate_t state{};
  mbrtowc(&wide, "a", 1, &state);
}

ANA_EXPORT char* setlocale(int category, const char* name) noexcept {
  ana::KnownSection section(ana::WellKnown::kLibc);
  read_string(name);
  char* result = ANA_REAL(setlocale)(category, name);
  if (result && name) load_conversions();
  return result;
}

ANA_IN_LIBC(struct lconv*, localeconv, () noexcept, ())
ANA_IN_LIBC(locale_t, newlocale, (int mask, const char* name, locale_t base) noexcept, (mask, name, base),
            read_string(name))
ANA_IN_LIBC(locale_t, duplocale, (locale_t it) noexcept, (it))
ANA_IN_LIBC(void, freelocale, (locale_t it) noexcept, (it))
ANA_EXPORT locale_t uselocale(locale_t it) noexcept {
  ana::KnownSection section(ana::WellKnown::kLibc);
  locale_t before = ANA_REAL(uselocale)(it);
  if (it && before) load_conversions();
  return before;
}
// The names by which the C++ library calls them.
ANA_IN_LIBC(locale_t, __newlocale, (int mask, const char* name, locale_t base) noexcept, (mask, name, base))
ANA_IN_LIBC(locale_t, __duplocale, (locale_t it) noexcept, (it))
ANA_IN_LIBC(void, __freelocale, (locale_t it) noexcept, (it))

ANA_IN_LIBC(char*, gettext, (const char* id) noexcept, (id), read_string(id))
ANA_IN_LIBC(char*, dgettext, (const char* domain, const char* id) noexcept, (domain, id), read_string(id))
ANA_IN_LIBC(char*, dcgettext, (const char* domain, const char* id, int category) noexcept, (domain, id, category),
            read_string(id))
ANA_IN_LIBC(char*, ngettext, (const char* one, const char* many, unsigned long n) noexcept, (one, many, n))
ANA_IN_LIBC(char*, dngettext, (const char* domain, const char* one, const char* many, unsigned long n) noexcept,
            (domain, one, many, n))
ANA_IN_LIBC(char*, dcngettext,
            (const char* domain, const char* one, const char* many, unsigned long n, int category) noexcept,
            (domain, one, many, n, category))
ANA_IN_LIBC(char*, textdomain, (const char* domain) noexcept, (domain), read_string(domain))
ANA_IN_LIBC(char*, bindtextdomain, (const char* domain, const char* folder) noexcept, (domain, folder),
            read_string(domain), read_string(folder))
ANA_IN_LIBC(char*, bind_textdomain_codeset, (const char* domain, const char* set) noexcept, (domain, set))

ANA_IN_LIBC(iconv_t, iconv_open, (const char* to, const char* from), (to, from), read_string(to), read_string(from))
ANA_IN_LIBC(int, iconv_close, (iconv_t it), (it))

// Texts of errors are translated, by the catalogue of the locale.
ANA_IN_LIBC(char*, strerror, (int error) noexcept, (error))
ANA_IN_LIBC(char*, strerror_l, (int error, locale_t it) noexcept, (error, it))
ANA_IN_LIBC(char*, strsignal, (int number) noexcept, (number))
ANA_IN_LIBC(char*, strerror_r, (int error, char* to, size_t n) noexcept, (error, to, n),
            ana::access::write_all(to, n < 1024 ? n : 1024))
extern "C" int __xpg_strerror_r(int, char*, size_t) noexcept;
ANA_IN_LIBC(int, __xpg_strerror_r, (int error, char* to, size_t n) noexcept, (error, to, n),
            ana::access::write_all(to, n < 1024 ? n : 1024))
