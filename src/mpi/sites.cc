#include "mpi/sites.h"

#include <dlfcn.h>
#include <string.h>

#include "mpi/lock.h"
#include "mpi/outside_entry.h"

namespace ana::mpi {

namespace {

// From return address to entry; as large as the table, so that probing ends.
struct Known {
  const void* address;
  SiteRecord* site;
};
Known known[kMaxSites * 2];

uint32_t add_name(const char* name) {
  SiteTable& table = *g.sites;
  size_t bytes = strlen(name) + 1;
  for (uint32_t at = 0; at < table.names_used; at += static_cast<uint32_t>(strlen(table.names + at)) + 1) {
    if (strcmp(table.names + at, name) == 0) return at;
  }
  if (table.names_used + bytes > sizeof table.names) return table.names_used - 1;  // an empty name
  uint32_t at = table.names_used;
  memcpy(table.names + at, name, bytes);
  table.names_used += static_cast<uint32_t>(bytes);
  return at;
}

SiteRecord* add_site(Thread* t) {
  SiteTable& table = *g.sites;
  if (table.sites == kMaxSites) return nullptr;
  SiteRecord& site = table.site[table.sites];
  const char* module;
  if (find_place(t->site, module, site.offset)) site.module = add_name(module);
  site.call = static_cast<uint32_t>(t->call);
  __atomic_store_n(&table.sites, table.sites + 1, __ATOMIC_RELEASE);
  return &site;
}

SiteRecord* find_site(Thread* t) {
  size_t i = (reinterpret_cast<uintptr_t>(t->site) * 0x9e3779b97f4a7c15ull >> 20) % (kMaxSites * 2);
  for (size_t probes = 0; probes < kMaxSites * 2; probes++, i = (i + 1) % (kMaxSites * 2)) {
    if (known[i].address == t->site) return known[i].site;
    if (known[i].address != nullptr) continue;
    known[i] = {t->site, add_site(t)};
    return known[i].site;
  }
  return nullptr;
}

}  // namespace

bool find_place(const void* address, const char*& module, uint64_t& offset) {
  if (has_recorded_program()) return find_inside(address, module, offset);
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
  module = info.dli_fname;
  offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(info.dli_fbase);
  return true;
}

SiteRecord* look_up_site(Thread* t) {
  Guard guard;
  t->noted_site = t->site;
  return t->noted = find_site(t);
}

}  // namespace ana::mpi
