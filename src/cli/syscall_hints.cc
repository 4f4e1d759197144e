#include "cli/syscall_hints.h"

#include <sys/syscall.h>

namespace ana {

const char* syscall_hint(uint64_t number) {
  switch (number) {
    case SYS_io_uring_enter: case SYS_io_uring_register: case SYS_io_submit: case SYS_io_getevents:
    case SYS_io_pgetevents: case SYS_io_cancel: case SYS_io_destroy:
      return "the kernel would write to memory at any time: make the program use read, write and epoll";
    case SYS_shmget: case SYS_shmat: case SYS_shmdt: case SYS_shmctl:
      return "memory that other processes write to cannot be recorded: use threads, pipes or sockets";
    case SYS_ptrace: case SYS_process_vm_readv: case SYS_process_vm_writev:
      return "a program that looks into others cannot be recorded: record those instead";
    case SYS_seccomp:
      return "a filter would stop the recorder's own calls: start the program without its sandbox";
    case SYS_ioctl: case SYS_fcntl: case SYS_prctl: case SYS_futex: case SYS_msgctl: case SYS_semctl:
      return "what it does with the program's memory is not known: avoid it, or ask for it to be supported";
    case SYS_iopl: case SYS_ioperm: case SYS_modify_ldt: case SYS_set_thread_area: case SYS_get_thread_area:
      return "the processor's own state cannot be recorded: use memory and system calls";
    case SYS_init_module: case SYS_finit_module: case SYS_delete_module: case SYS_kexec_load: case SYS_kexec_file_load:
    case SYS_reboot: case SYS_swapon: case SYS_swapoff: case SYS_bpf: case SYS_perf_event_open:
      return "it changes or measures the machine: do that outside the recorded program";
    default:
      return "avoid it, or ask for it to be supported";
  }
}

}  // namespace ana
