// System calls that need a function of their own. Each gets the number and the six arguments, runs inside an operation
// (operation_begin has been called, operation_end follows) and returns the kernel's kind of result.
#pragma once

namespace ana {

// memory.cc
long special_brk(long number, long* args);
long special_mmap(long number, long* args);
long special_munmap(long number, long* args);
long special_mremap(long number, long* args);
long special_get_mempolicy(long number, long* args);

// files.cc
long special_readv(long number, long* args);
long special_write(long number, long* args);
long special_writev(long number, long* args);
long special_copy(long number, long* args);
long special_readlink(long number, long* args);

// descriptors.cc
bool names_program(const char* path);  // by /proc/self/exe, which the kernel takes for the host
long special_fcntl(long number, long* args);
long special_open(long number, long* args);
long special_dup(long number, long* args);
long special_close(long number, long* args);
long special_ioctl(long number, long* args);

// ipc.cc
long special_ipc_control(long number, long* args);

// outgoing.cc
long special_send(long number, long* args);

// sockets.cc
long special_recvmsg(long number, long* args);
long special_recvmmsg(long number, long* args);
long special_sendmmsg(long number, long* args);

// process.cc
long special_clone(long number, long* args);
long special_execve(long number, long* args);
long special_exit(long number, long* args);
long special_exit_group(long number, long* args);
long special_futex(long number, long* args);
long special_sched_yield(long number, long* args);
long special_wait4(long number, long* args);
long special_waitid(long number, long* args);
long special_set_tid_address(long number, long* args);
long special_arch_prctl(long number, long* args);
long special_prctl(long number, long* args);

// signals.cc
long special_sigaction(long number, long* args);
long special_sigprocmask(long number, long* args);
long special_sigpending(long number, long* args);
long special_sigtimedwait(long number, long* args);
long special_sigaltstack(long number, long* args);
long special_sigreturn(long number, long* args);
long special_kill(long number, long* args);

}  // namespace ana
