/* What the machine's network looks like: getifaddrs, if_nameindex, mount tables, /proc, by threads. */
#include <ifaddrs.h>
#include <mntent.h>
#include <net/if.h>
#include <sys/socket.h>

#include "support.h"

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(12); i < n; i++) {
    struct ifaddrs *all;
    if (getifaddrs(&all) == 0) {
      for (struct ifaddrs *at = all; at; at = at->ifa_next) hash = mix(hash, at->ifa_flags + (uint64_t)at->ifa_name[0]);
      freeifaddrs(all);
    }
    struct if_nameindex *names = if_nameindex();
    for (struct if_nameindex *at = names; at && at->if_index; at++) hash = mix(hash, at->if_index);
    if (names) if_freenameindex(names);
    FILE *mounts = setmntent("/proc/mounts", "r");
    char room[1024];
    struct mntent entry;
    while (mounts && getmntent_r(mounts, &entry, room, sizeof room)) hash = mix(hash, strlen(entry.mnt_dir));
    if (mounts) endmntent(mounts);
    FILE *status = fopen(index % 2 ? "/proc/self/status" : "/proc/self/stat", "r");
    while (status && fgets(room, sizeof room, status))
      for (char *c = room; *c; c++) hash = mix(hash, (uint64_t)*c);
    if (status) fclose(status);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
