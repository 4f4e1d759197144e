// The name service: users, groups, hosts, services, protocols. It loads libraries, reads files and asks servers, under
// locks of its own. See libc_wrappers.h. Buffers of the _r forms are taken as far as they are likely to be filled.
#include "runtime/interpose/libc_wrappers.h"

#include <grp.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <resolv.h>
#include <shadow.h>
#include <unistd.h>

namespace ana {
namespace {

template <class Entry>
void before_lookup(Entry* entry, char* buffer, size_t bytes, Entry** result) {
  access::write_all(entry, sizeof *entry);
  access::write_all(buffer, bytes < 4096 ? bytes : 4096);
  access::write_all(result, sizeof *result);
}

// The C library gives back a thread's share of the resolver's tables when the thread is gone: unordered, and whether
// the next lookup has to allocate depends on it. So the last destructors do it before.
pthread_key_t g_uses_resolver;

void leave_resolver(void*) {
  KnownSection libc(WellKnown::kLibc);
  res_nclose(&_res);
}

void leave_resolver_at_end() {
  if (passive()) return;
  static bool made;  // in order: all callers are in the section
  if (!made) made = ANA_REAL(pthread_key_create)(&g_uses_resolver, leave_resolver) == 0;
  if (made) pthread_setspecific(g_uses_resolver, &g_uses_resolver);
}

}  // namespace
}  // namespace ana

using ana::before_lookup;
using ana::leave_resolver_at_end;
using ana::access::read_string;

#define ANA_RESOLVING(result, name, parameters, arguments, ...) \
  ANA_IN_LIBC(result, name, parameters, arguments, leave_resolver_at_end(), ##__VA_ARGS__)

ANA_IN_LIBC(struct passwd*, getpwnam, (const char* name), (name), read_string(name))
ANA_IN_LIBC(struct passwd*, getpwuid, (uid_t id), (id))
ANA_IN_LIBC(struct passwd*, getpwent, (), ())
ANA_IN_LIBC(void, setpwent, (), ())
ANA_IN_LIBC(void, endpwent, (), ())
ANA_IN_LIBC(int, getpwnam_r, (const char* name, struct passwd* to, char* b, size_t n, struct passwd** r),
            (name, to, b, n, r), read_string(name), before_lookup(to, b, n, r))
ANA_IN_LIBC(int, getpwuid_r, (uid_t id, struct passwd* to, char* b, size_t n, struct passwd** r), (id, to, b, n, r),
            before_lookup(to, b, n, r))
ANA_IN_LIBC(int, getpwent_r, (struct passwd* to, char* b, size_t n, struct passwd** r), (to, b, n, r),
            before_lookup(to, b, n, r))
ANA_IN_LIBC(struct group*, getgrnam, (const char* name), (name), read_string(name))
ANA_IN_LIBC(struct group*, getgrgid, (gid_t id), (id))
ANA_IN_LIBC(struct group*, getgrent, (), ())
ANA_IN_LIBC(void, setgrent, (), ())
ANA_IN_LIBC(void, endgrent, (), ())
ANA_IN_LIBC(int, getgrnam_r, (const char* name, struct group* to, char* b, size_t n, struct group** r),
            (name, to, b, n, r), read_string(name), before_lookup(to, b, n, r))
ANA_IN_LIBC(int, getgrgid_r, (gid_t id, struct group* to, char* b, size_t n, struct group** r), (id, to, b, n, r),
            before_lookup(to, b, n, r))
ANA_IN_LIBC(int, getgrent_r, (struct group* to, char* b, size_t n, struct group** r), (to, b, n, r),
            before_lookup(to, b, n, r))
ANA_IN_LIBC(int, getgrouplist, (const char* name, gid_t id, gid_t* groups, int* n), (name, id, groups, n),
            read_string(name))
ANA_IN_LIBC(int, initgroups, (const char* name, gid_t id), (name, id), read_string(name))
ANA_IN_LIBC(struct spwd*, getspnam, (const char* name), (name), read_string(name))
ANA_IN_LIBC(char*, getlogin, (), ())
ANA_IN_LIBC(int, getlogin_r, (char* to, size_t n), (to, n), ana::access::write_all(to, n < 256 ? n : 256))

ANA_RESOLVING(int, getaddrinfo, (const char* host, const char* port, const struct addrinfo* hints, struct addrinfo** r),
              (host, port, hints, r), read_string(host), read_string(port), ana::access::write_all(r, sizeof *r))
ANA_IN_LIBC(void, freeaddrinfo, (struct addrinfo* it) noexcept, (it))
ANA_IN_LIBC(const char*, gai_strerror, (int error) noexcept, (error))
ANA_RESOLVING(int, getnameinfo,
              (const struct sockaddr* at, socklen_t bytes, char* host, socklen_t host_n, char* port, socklen_t port_n,
               int flags),
              (at, bytes, host, host_n, port, port_n, flags), ana::access::write_all(host, host ? host_n : 0),
              ana::access::write_all(port, port ? port_n : 0))
ANA_RESOLVING(struct hostent*, gethostbyname, (const char* name), (name), read_string(name))
ANA_RESOLVING(struct hostent*, gethostbyname2, (const char* name, int family), (name, family), read_string(name))
ANA_RESOLVING(struct hostent*, gethostbyaddr, (const void* at, socklen_t n, int family), (at, n, family))
ANA_RESOLVING(int, gethostbyname_r,
              (const char* name, struct hostent* to, char* b, size_t n, struct hostent** r, int* error),
              (name, to, b, n, r, error), read_string(name), before_lookup(to, b, n, r))
ANA_RESOLVING(int, gethostbyname2_r,
              (const char* name, int family, struct hostent* to, char* b, size_t n, struct hostent** r, int* error),
              (name, family, to, b, n, r, error), read_string(name), before_lookup(to, b, n, r))
ANA_RESOLVING(int, gethostbyaddr_r,
              (const void* at, socklen_t bytes, int family, struct hostent* to, char* b, size_t n, struct hostent** r,
               int* error),
              (at, bytes, family, to, b, n, r, error), before_lookup(to, b, n, r))
ANA_IN_LIBC(struct servent*, getservbyname, (const char* name, const char* protocol), (name, protocol),
            read_string(name))
ANA_IN_LIBC(struct servent*, getservbyport, (int port, const char* protocol), (port, protocol))
ANA_IN_LIBC(int, getservbyname_r,
            (const char* name, const char* protocol, struct servent* to, char* b, size_t n, struct servent** r),
            (name, protocol, to, b, n, r), read_string(name), before_lookup(to, b, n, r))
ANA_IN_LIBC(int, getservbyport_r,
            (int port, const char* protocol, struct servent* to, char* b, size_t n, struct servent** r),
            (port, protocol, to, b, n, r), before_lookup(to, b, n, r))
ANA_IN_LIBC(struct protoent*, getprotobyname, (const char* name), (name), read_string(name))
ANA_IN_LIBC(struct protoent*, getprotobynumber, (int number), (number))
