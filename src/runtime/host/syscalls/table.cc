#include "runtime/host/syscalls/table.h"

#include <errno.h>
#include <sys/syscall.h>

#include "runtime/host/freestanding.h"
#include "runtime/host/syscalls/rows.h"
#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

constexpr uint32_t kTableSize = 480;
constexpr long kFchmodat2 = 452;  // younger than the headers of Debian 12

struct Table {
  SyscallRow row[kTableSize];
};

constexpr Table make_table() {
  using namespace rows;
  Table t{};
  auto* r = t.row;
  // Files.
  r[SYS_read] = input(by_result(1, 2));
  r[SYS_pread64] = input(by_result(1, 2));
  r[SYS_readv] = r[SYS_preadv] = r[SYS_preadv2] = log_by(special_readv);
  r[SYS_write] = log_by(special_write, "replay writes stdout and stderr again");
  r[SYS_writev] = log_by(special_writev, "replay writes stdout and stderr again");
  r[SYS_pwrite64] = r[SYS_pwritev] = r[SYS_pwritev2] = log_by(special_send);
  r[SYS_open] = r[SYS_openat] = r[SYS_creat] = r[SYS_openat2] = log_by(special_open);
  r[SYS_close] = r[SYS_close_range] = log_by(special_close);
  r[SYS_lseek] = log();
  r[SYS_stat] = r[SYS_lstat] = r[SYS_fstat] = log(fixed(1, 144));
  r[SYS_newfstatat] = log(fixed(2, 144));
  r[SYS_statx] = log(fixed(4, 256));
  r[SYS_statfs] = r[SYS_fstatfs] = log(fixed(1, 120));
  r[SYS_access] = r[SYS_faccessat] = r[SYS_faccessat2] = log();
  r[SYS_getdents] = r[SYS_getdents64] = log(by_result(1, 2));
  r[SYS_getxattr] = r[SYS_lgetxattr] = r[SYS_fgetxattr] = log(by_result(2, 3));
  r[SYS_listxattr] = r[SYS_llistxattr] = r[SYS_flistxattr] = log(by_result(1, 2));
  r[SYS_setxattr] = r[SYS_lsetxattr] = r[SYS_fsetxattr] = log();
  r[SYS_removexattr] = r[SYS_lremovexattr] = r[SYS_fremovexattr] = log();
  r[SYS_mknod] = r[SYS_mknodat] = r[SYS_futimesat] = r[SYS_chroot] = log();
  r[SYS_inotify_init] = r[SYS_inotify_init1] = r[SYS_inotify_add_watch] = r[SYS_inotify_rm_watch] = log();
  r[SYS_readlink] = r[SYS_readlinkat] = log_by(special_readlink);
  r[SYS_getcwd] = log(by_result(0, 1));
  r[SYS_chdir] = r[SYS_fchdir] = log();
  r[SYS_mkdir] = r[SYS_mkdirat] = r[SYS_rmdir] = r[SYS_unlink] = r[SYS_unlinkat] = log();
  r[SYS_rename] = r[SYS_renameat] = r[SYS_renameat2] = log();
  r[SYS_link] = r[SYS_linkat] = r[SYS_symlink] = r[SYS_symlinkat] = log();
  r[SYS_chmod] = r[SYS_fchmod] = r[SYS_fchmodat] = r[kFchmodat2] = log();
  r[SYS_chown] = r[SYS_fchown] = r[SYS_lchown] = r[SYS_fchownat] = log();
  r[SYS_utimensat] = r[SYS_utimes] = r[SYS_utime] = r[SYS_umask] = log();
  r[SYS_truncate] = r[SYS_ftruncate] = r[SYS_fallocate] = r[SYS_fadvise64] = r[SYS_readahead] = log();
  r[SYS_fsync] = r[SYS_fdatasync] = r[SYS_sync] = r[SYS_syncfs] = r[SYS_sync_file_range] = wait();
  r[SYS_flock] = wait();
  r[SYS_fcntl] = log_by(special_fcntl, "the documented commands");
  r[SYS_ioctl] = log_by(special_ioctl, "requests of terminals, sockets and file systems; others are refused");
  r[SYS_dup] = r[SYS_dup2] = r[SYS_dup3] = log_by(special_dup);
  r[SYS_pipe] = r[SYS_pipe2] = log(fixed(0, 8));
  r[SYS_memfd_create] = r[SYS_eventfd] = r[SYS_eventfd2] = r[SYS_signalfd] = r[SYS_signalfd4] = log();
  r[SYS_epoll_create] = r[SYS_epoll_create1] = r[SYS_epoll_ctl] = log();
  r[SYS_poll] = wait(by_argument(0, 1, 8));
  r[SYS_ppoll] = wait(by_argument(0, 1, 8), fixed(2, 16));
  r[SYS_epoll_wait] = r[SYS_epoll_pwait] = r[SYS_epoll_pwait2] = wait(by_result(1, 2, 12));
  r[SYS_select] = r[SYS_pselect6] = wait(by_bits(1, 0), by_bits(2, 0), by_bits(3, 0), fixed(4, 16));
  r[SYS_sendfile] = r[SYS_copy_file_range] = r[SYS_splice] = log_by(special_copy);
  r[SYS_tee] = r[SYS_vmsplice] = wait();
  r[SYS_fanotify_init] = r[SYS_fanotify_mark] = log();
  r[SYS_io_uring_setup] = r[SYS_io_setup] = answer(-ENOSYS, "as if the kernel had no asynchronous I/O");
  // Sockets.
  r[SYS_socket] = r[SYS_bind] = r[SYS_listen] = r[SYS_shutdown] = r[SYS_setsockopt] = log();
  r[SYS_connect] = wait();
  r[SYS_socketpair] = log(fixed(3, 8));
  r[SYS_accept] = r[SYS_accept4] = wait(by_pointed(1, 2), fixed(2, 4));
  r[SYS_getsockname] = r[SYS_getpeername] = log(by_pointed(1, 2), fixed(2, 4));
  r[SYS_getsockopt] = log(by_pointed(3, 4), fixed(4, 4));
  r[SYS_sendto] = r[SYS_sendmsg] = log_by(special_send);
  r[SYS_sendmmsg] = log_by(special_sendmmsg);
  r[SYS_recvmsg] = log_by(special_recvmsg);
  r[SYS_recvmmsg] = log_by(special_recvmmsg);
  r[SYS_recvfrom] = wait(by_result(1, 2), by_pointed(4, 5), fixed(5, 4));
  // Message queues and semaphores, of POSIX and System V.
  r[SYS_mq_open] = r[SYS_mq_unlink] = r[SYS_mq_notify] = log();
  r[SYS_mq_timedsend] = wait();
  r[SYS_mq_timedreceive] = wait(by_result(1, 2), fixed(3, 4));
  r[SYS_mq_getsetattr] = log(fixed(2, 64));
  r[SYS_msgget] = r[SYS_semget] = log();
  r[SYS_msgsnd] = r[SYS_semop] = r[SYS_semtimedop] = wait();
  r[SYS_msgrcv] = wait(beyond_result(1, 8));
  r[SYS_msgctl] = r[SYS_semctl] = log_by(special_ipc_control, "IPC_SET, IPC_STAT, IPC_RMID and values of semaphores");
  // Time.
  r[SYS_clock_gettime] = r[SYS_clock_getres] = log(fixed(1, 16));
  r[SYS_clock_settime] = r[SYS_settimeofday] = log();
  r[SYS_adjtimex] = log(fixed(0, 208));
  r[SYS_clock_adjtime] = log(fixed(1, 208));
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
  r[SYS_getgroups] = log(by_result(1, 0, 4));
  r[SYS_setuid] = r[SYS_setgid] = r[SYS_setreuid] = r[SYS_setregid] = r[SYS_setresuid] = r[SYS_setresgid] = log();
  r[SYS_setgroups] = r[SYS_setfsuid] = r[SYS_setfsgid] = r[SYS_setsid] = r[SYS_setpgid] = log();
  r[SYS_getresuid] = r[SYS_getresgid] = log(fixed(0, 4), fixed(1, 4), fixed(2, 4));
  r[SYS_capget] = log(fixed(0, 8), fixed(1, 24));
  r[SYS_capset] = r[SYS_personality] = r[SYS_sethostname] = r[SYS_setdomainname] = log();
  r[SYS_mount] = r[SYS_umount2] = r[SYS_pivot_root] = r[SYS_unshare] = r[SYS_setns] = log();
  r[SYS_landlock_create_ruleset] = r[SYS_landlock_add_rule] = r[SYS_landlock_restrict_self] = log();
  r[SYS_syslog] = log(by_result(1, 2));
  r[SYS_uname] = log(fixed(0, 390));
  r[SYS_sysinfo] = log(fixed(0, 112));
  r[SYS_getrusage] = log(fixed(1, 144));
  r[SYS_getrlimit] = log(fixed(1, 16));
  r[SYS_setrlimit] = log();
  r[SYS_prlimit64] = log(fixed(3, 16));
  r[SYS_getrandom] = input(by_result(0, 1));
  r[SYS_getcpu] = log(fixed(0, 4), fixed(1, 4));
  r[SYS_sched_getaffinity] = log(by_result(2, 1));
  r[SYS_sched_setaffinity] = r[SYS_sched_setscheduler] = r[SYS_sched_getscheduler] = log();
  r[SYS_sched_getparam] = log(fixed(1, 4));
  r[SYS_sched_setparam] = r[SYS_sched_get_priority_max] = r[SYS_sched_get_priority_min] = log();
  r[SYS_getpriority] = r[SYS_setpriority] = r[SYS_ioprio_get] = r[SYS_ioprio_set] = log();
  r[SYS_sched_rr_get_interval] = log(fixed(1, 16));
  r[SYS_sched_setattr] = log();
  r[SYS_sched_getattr] = log(by_argument(1, 2, 1));
  r[SYS_prctl] = log_by(special_prctl, "the common options; others are refused");
  // Memory.
  r[SYS_brk] = run(special_brk);
  r[SYS_mmap] = run(special_mmap, "files are logged with their contents, programs and libraries by name");
  r[SYS_munmap] = run(special_munmap);
  r[SYS_mremap] = run(special_mremap);
  r[SYS_mprotect] = r[SYS_madvise] = r[SYS_membarrier] = run();
  r[SYS_mlock] = r[SYS_mlock2] = r[SYS_munlock] = log();
  r[SYS_mlockall] = r[SYS_munlockall] = answer(0, "nothing is locked: the runtime's tables are huge");
  r[SYS_msync] = log();
  r[SYS_mincore] = log(by_pages(2, 1));
  r[SYS_mbind] = r[SYS_set_mempolicy] = r[SYS_set_mempolicy_home_node] = r[SYS_migrate_pages] = log();
  r[SYS_get_mempolicy] = log_by(special_get_mempolicy);
  r[SYS_move_pages] = log(by_argument(4, 1, 4));
  r[SYS_pkey_alloc] = answer(-ENOSPC, "as if all protection keys were in use");
  r[SYS_userfaultfd] = r[SYS_memfd_secret] = answer(-ENOSYS, "as if the kernel did not have it");
  // Threads and signals.
  r[SYS_clone] = r[SYS_clone3] = run(special_clone, "threads; processes are started in record only");
  r[SYS_fork] = r[SYS_vfork] = log_by(special_clone, "the child is recorded with --children");
  r[SYS_execve] = r[SYS_execveat] = log_by(special_execve, "the recording ends there");
  r[SYS_wait4] = log_by(special_wait4);
  r[SYS_waitid] = log_by(special_waitid);
  r[SYS_pidfd_open] = r[SYS_pidfd_getfd] = r[SYS_pidfd_send_signal] = r[SYS_kcmp] = log();
  r[SYS_exit] = run(special_exit);
  r[SYS_exit_group] = run(special_exit_group);
  r[SYS_futex] = log_by(special_futex, "the program's own, without priority inheritance");
  r[SYS_sched_yield] = run(special_sched_yield);
  r[SYS_futex_waitv] = answer(-ENOSYS, "as if the kernel did not have it");
  r[SYS_set_robust_list] = run();
  r[SYS_get_robust_list] = log(fixed(1, 8), fixed(2, 8));
  r[SYS_set_tid_address] = run(special_set_tid_address);
  r[SYS_rseq] = answer(-ENOSYS, "as if the kernel did not have it");
  r[SYS_arch_prctl] = run(special_arch_prctl);
  r[SYS_rt_sigaction] = run(special_sigaction);
  r[SYS_rt_sigprocmask] = run(special_sigprocmask);
  r[SYS_sigaltstack] = run(special_sigaltstack);
  r[SYS_rt_sigreturn] = run(special_sigreturn);
  r[SYS_kill] = r[SYS_tgkill] = r[SYS_tkill] = log_by(special_kill);
  r[SYS_rt_sigqueueinfo] = r[SYS_rt_tgsigqueueinfo] = log_by(special_kill);
  r[SYS_rt_sigpending] = log_by(special_sigpending);
  r[SYS_rt_sigtimedwait] = log_by(special_sigtimedwait);
  r[SYS_pause] = r[SYS_rt_sigsuspend] = wait();
  return t;
}

constexpr Table kTable = make_table();
constexpr SyscallRow kRefused{};
constexpr const char* kKindNames[] = {"refused", "re-executed", "logged", "answered"};

char* put_text(char* to, const char* text) {
  memcpy(to, text, length(text));
  return to + length(text);
}

}  // namespace

const SyscallRow& syscall_row(long number) {
  return number >= 0 && number < static_cast<long>(kTableSize) ? kTable.row[number] : kRefused;
}

void list_syscalls() {
  for (uint32_t number = 0; number < kTableSize; ++number) {
    const SyscallRow& row = kTable.row[number];
    char line[256] = {char('0' + number / 100), char('0' + number / 10 % 10), char('0' + number % 10), ' '};
    char* end = put_text(line + 4, kKindNames[row.kind]);
    if (row.note) end = put_text(put_text(end, " "), row.note);
    *end++ = '\n';
    raw(SYS_write, 1, line, end - line);
  }
}

}  // namespace ana
