#include "runtime/host/syscalls/table.h"

#include <errno.h>
#include <sys/syscall.h>

#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

constexpr uint32_t kTableSize = 480;

constexpr SyscallRow run() { return {SyscallRow::kRun, false, false, {}, nullptr, 0}; }
constexpr SyscallRow answer(long value) { return {SyscallRow::kAnswer, false, false, {}, nullptr, value}; }
constexpr SyscallRow special(long (*function)(long, long*)) {
  return {SyscallRow::kSpecial, false, false, {}, function, 0};
}
template <class... Outputs>
constexpr SyscallRow log(Outputs... outputs) {
  return {SyscallRow::kLog, false, false, {outputs...}, nullptr, 0};
}
template <class... Outputs>
constexpr SyscallRow wait(Outputs... outputs) {
  return {SyscallRow::kLog, true, false, {outputs...}, nullptr, 0};
}
// Input through a buffer of ours: the program's memory changes at one recorded moment.
constexpr SyscallRow input(Output output) {
  return {SyscallRow::kLog, true, true, {output}, nullptr, 0};
}
constexpr Output fixed(uint8_t argument, uint16_t bytes) { return {Output::kFixed, argument, 0, bytes}; }
constexpr Output by_result(uint8_t argument, uint16_t bytes = 1) { return {Output::kResult, argument, 0, bytes}; }
constexpr Output by_argument(uint8_t argument, uint8_t other, uint16_t bytes) {
  return {Output::kArgument, argument, other, bytes};
}
constexpr Output by_pages(uint8_t argument, uint8_t other) { return {Output::kPages, argument, other, 1}; }
constexpr Output by_pointed(uint8_t argument, uint8_t other) { return {Output::kPointed, argument, other, 1}; }

struct Table {
  SyscallRow row[kTableSize];
};

constexpr Table make_table() {
  Table t{};
  auto* r = t.row;
  // Files.
  r[SYS_read] = input(by_result(1));
  r[SYS_pread64] = input(by_result(1));
  r[SYS_readv] = special(special_readv);
  r[SYS_preadv] = special(special_readv);
  r[SYS_write] = special(special_write);
  r[SYS_pwrite64] = log();
  r[SYS_writev] = special(special_writev);
  r[SYS_pwritev] = r[SYS_pwritev2] = log();
  r[SYS_open] = r[SYS_openat] = r[SYS_creat] = r[SYS_openat2] = wait();
  r[SYS_close] = log();
  r[SYS_close_range] = log();
  r[SYS_lseek] = log();
  r[SYS_stat] = r[SYS_lstat] = r[SYS_fstat] = log(fixed(1, 144));
  r[SYS_newfstatat] = log(fixed(2, 144));
  r[SYS_statx] = log(fixed(4, 256));
  r[SYS_statfs] = r[SYS_fstatfs] = log(fixed(1, 120));
  r[SYS_access] = r[SYS_faccessat] = r[SYS_faccessat2] = log();
  r[SYS_getdents] = r[SYS_getdents64] = log(by_result(1));
  r[SYS_getxattr] = r[SYS_lgetxattr] = r[SYS_fgetxattr] = log(by_result(2));
  r[SYS_listxattr] = r[SYS_llistxattr] = r[SYS_flistxattr] = log(by_result(1));
  r[SYS_setxattr] = r[SYS_lsetxattr] = r[SYS_fsetxattr] = log();
  r[SYS_removexattr] = r[SYS_lremovexattr] = r[SYS_fremovexattr] = log();
  r[SYS_mknod] = r[SYS_mknodat] = r[SYS_futimesat] = r[SYS_chroot] = log();
  r[SYS_inotify_init] = r[SYS_inotify_init1] = r[SYS_inotify_add_watch] = r[SYS_inotify_rm_watch] = log();
  r[SYS_readlink] = special(special_readlink);
  r[SYS_readlinkat] = special(special_readlink);
  r[SYS_getcwd] = log(by_result(0));
  r[SYS_chdir] = r[SYS_fchdir] = log();
  r[SYS_mkdir] = r[SYS_mkdirat] = r[SYS_rmdir] = r[SYS_unlink] = r[SYS_unlinkat] = log();
  r[SYS_rename] = r[SYS_renameat] = r[SYS_renameat2] = log();
  r[SYS_link] = r[SYS_linkat] = r[SYS_symlink] = r[SYS_symlinkat] = log();
  r[SYS_chmod] = r[SYS_fchmod] = r[SYS_fchmodat] = r[SYS_chown] = r[SYS_fchown] = r[SYS_lchown] = r[SYS_fchownat] = log();
  r[SYS_utimensat] = r[SYS_utimes] = r[SYS_utime] = r[SYS_umask] = log();
  r[SYS_truncate] = r[SYS_ftruncate] = r[SYS_fallocate] = r[SYS_fadvise64] = r[SYS_readahead] = log();
  r[SYS_fsync] = r[SYS_fdatasync] = r[SYS_sync] = r[SYS_syncfs] = r[SYS_sync_file_range] = wait();
  r[SYS_flock] = wait();
  r[SYS_fcntl] = special(special_fcntl);
  r[SYS_ioctl] = special(special_ioctl);
  r[SYS_dup] = r[SYS_dup2] = r[SYS_dup3] = log();
  r[SYS_pipe] = r[SYS_pipe2] = log(fixed(0, 8));
  r[SYS_memfd_create] = r[SYS_eventfd] = r[SYS_eventfd2] = r[SYS_signalfd] = r[SYS_signalfd4] = log();
  r[SYS_epoll_create] = r[SYS_epoll_create1] = r[SYS_epoll_ctl] = log();
  r[SYS_poll] = wait(by_argument(0, 1, 8));
  r[SYS_ppoll] = wait(by_argument(0, 1, 8), fixed(2, 16));
  r[SYS_epoll_wait] = r[SYS_epoll_pwait] = r[SYS_epoll_pwait2] = wait(by_result(1, 12));
  r[SYS_select] = r[SYS_pselect6] = wait(fixed(1, 128), fixed(2, 128), fixed(3, 128), fixed(4, 16));
  r[SYS_sendfile] = wait(fixed(2, 8));
  r[SYS_copy_file_range] = r[SYS_splice] = wait(fixed(1, 8), fixed(3, 8));
  r[SYS_tee] = wait();
  // Sockets.
  r[SYS_socket] = r[SYS_bind] = r[SYS_listen] = r[SYS_shutdown] = r[SYS_setsockopt] = log();
  r[SYS_connect] = wait();
  r[SYS_socketpair] = log(fixed(3, 8));
  r[SYS_accept] = r[SYS_accept4] = wait(by_pointed(1, 2), fixed(2, 4));
  r[SYS_getsockname] = r[SYS_getpeername] = log(by_pointed(1, 2), fixed(2, 4));
  r[SYS_getsockopt] = log(by_pointed(3, 4), fixed(4, 4));
  r[SYS_sendto] = wait();
  r[SYS_sendmsg] = wait();
  r[SYS_sendmmsg] = special(special_sendmmsg);
  r[SYS_recvmsg] = special(special_recvmsg);
  r[SYS_recvfrom] = wait(by_result(1), by_pointed(4, 5), fixed(5, 4));
  // Time.
  r[SYS_clock_gettime] = r[SYS_clock_getres] = log(fixed(1, 16));
  r[SYS_gettimeofday] = log(fixed(0, 16), fixed(1, 8));
  r[SYS_time] = log(fixed(0, 8));
  r[SYS_times] = log(fixed(0, 32));
  r[SYS_nanosleep] = wait(fixed(1, 16));
  r[SYS_clock_nanosleep] = wait(fixed(3, 16));
  r[SYS_timerfd_create] = log();
  r[SYS_timerfd_settime] = log(fixed(3, 32));
  r[SYS_timerfd_gettime] = log(fixed(1, 32));
  r[SYS_timer_create] = log(fixed(2, 4));
  r[SYS_timer_settime] = log(fixed(3, 32));
  r[SYS_timer_gettime] = log(fixed(1, 32));
  r[SYS_timer_getoverrun] = r[SYS_timer_delete] = r[SYS_alarm] = log();
  r[SYS_getitimer] = log(fixed(1, 32));
  r[SYS_setitimer] = log(fixed(2, 32));
  // Who and where we are.
  r[SYS_getpid] = r[SYS_gettid] = r[SYS_getppid] = r[SYS_getpgrp] = r[SYS_getpgid] = r[SYS_getsid] = log();
  r[SYS_getuid] = r[SYS_geteuid] = r[SYS_getgid] = r[SYS_getegid] = log();
  r[SYS_getgroups] = log(by_result(1, 4));
  r[SYS_setuid] = r[SYS_setgid] = r[SYS_setreuid] = r[SYS_setregid] = r[SYS_setresuid] = r[SYS_setresgid] = log();
  r[SYS_setgroups] = r[SYS_setfsuid] = r[SYS_setfsgid] = r[SYS_setsid] = r[SYS_setpgid] = log();
  r[SYS_getresuid] = r[SYS_getresgid] = log(fixed(0, 4), fixed(1, 4), fixed(2, 4));
  r[SYS_uname] = log(fixed(0, 390));
  r[SYS_sysinfo] = log(fixed(0, 112));
  r[SYS_getrusage] = log(fixed(1, 144));
  r[SYS_getrlimit] = log(fixed(1, 16));
  r[SYS_setrlimit] = log();
  r[SYS_prlimit64] = log(fixed(3, 16));
  r[SYS_getrandom] = input(by_result(0));
  r[SYS_getcpu] = log(fixed(0, 4), fixed(1, 4));
  r[SYS_sched_getaffinity] = log(by_result(2));
  r[SYS_sched_setaffinity] = r[SYS_sched_setscheduler] = r[SYS_sched_getscheduler] = log();
  r[SYS_sched_getparam] = log(fixed(1, 4));
  r[SYS_sched_setparam] = r[SYS_sched_get_priority_max] = r[SYS_sched_get_priority_min] = log();
  r[SYS_getpriority] = r[SYS_setpriority] = r[SYS_ioprio_get] = r[SYS_ioprio_set] = log();
  r[SYS_sched_rr_get_interval] = log(fixed(1, 16));
  r[SYS_sched_setattr] = log();
  r[SYS_sched_getattr] = log(by_argument(1, 2, 1));
  r[SYS_prctl] = special(special_prctl);
  // Memory.
  r[SYS_brk] = special(special_brk);
  r[SYS_mmap] = special(special_mmap);
  r[SYS_munmap] = special(special_munmap);
  r[SYS_mremap] = special(special_mremap);
  r[SYS_mprotect] = r[SYS_madvise] = r[SYS_mlock] = r[SYS_munlock] = r[SYS_membarrier] = run();
  r[SYS_mlock2] = r[SYS_mlockall] = r[SYS_munlockall] = run();
  r[SYS_msync] = log();
  r[SYS_mincore] = log(by_pages(2, 1));
  // Threads and signals.
  r[SYS_clone] = r[SYS_clone3] = special(special_clone);
  r[SYS_fork] = r[SYS_vfork] = special(special_clone);
  r[SYS_execve] = r[SYS_execveat] = special(special_execve);
  r[SYS_wait4] = wait(fixed(1, 4), fixed(3, 144));
  r[SYS_waitid] = wait(fixed(2, 128), fixed(4, 144));
  r[SYS_pidfd_open] = r[SYS_pidfd_send_signal] = log();
  r[SYS_exit] = special(special_exit);
  r[SYS_exit_group] = special(special_exit_group);
  r[SYS_futex] = special(special_futex);
  r[SYS_sched_yield] = special(special_sched_yield);
  r[SYS_set_robust_list] = run();
  r[SYS_set_tid_address] = special(special_set_tid_address);
  r[SYS_rseq] = answer(-ENOSYS);
  r[SYS_arch_prctl] = special(special_arch_prctl);
  r[SYS_rt_sigaction] = special(special_sigaction);
  r[SYS_rt_sigprocmask] = special(special_sigprocmask);
  r[SYS_sigaltstack] = special(special_sigaltstack);
  r[SYS_rt_sigreturn] = special(special_sigreturn);
  r[SYS_kill] = r[SYS_tgkill] = r[SYS_tkill] = special(special_kill);
  r[SYS_rt_sigqueueinfo] = r[SYS_rt_tgsigqueueinfo] = special(special_kill);
  r[SYS_rt_sigpending] = log(fixed(0, 8));
  r[SYS_rt_sigtimedwait] = wait(fixed(1, 128));
  r[SYS_pause] = r[SYS_rt_sigsuspend] = wait();
  return t;
}

constexpr Table kTable = make_table();
constexpr SyscallRow kRefused{};

}  // namespace

const SyscallRow& syscall_row(long number) {
  return number >= 0 && number < static_cast<long>(kTableSize) ? kTable.row[number] : kRefused;
}

}  // namespace ana
