// System calls of the host's own. Syscall User Dispatch lets exactly the addresses [ana_raw_begin, ana_raw_end) through;
// the byte after each `syscall` instruction lies inside too, as the kernel looks at the address that it returns to.
        .section .text.raw, "ax", @progbits
        .globl ana_raw_begin, ana_raw_end, ana_raw_syscall, ana_raw_instruction, ana_sigaction_restorer, ana_raw_clone
        .globl ana_raw_wait, ana_wait_begin, ana_wait_end, ana_wait_interrupted, ana_raw_sigreturn
        .cfi_sections .debug_frame
        .balign 64
ana_raw_begin:

// long ana_raw_syscall(number, a, b, c, d, e, f)
ana_raw_syscall:
        .cfi_startproc
        mov     %rdi, %rax
        mov     %rsi, %rdi
        mov     %rdx, %rsi
        mov     %rcx, %rdx
        mov     %r8, %r10
        mov     %r9, %r8
        mov     8(%rsp), %r9
ana_raw_instruction:
        syscall
        ret
        .cfi_endproc

// The same, for system calls that may wait: not begun if a signal of the program's waits to be taken (gs:40 is
// SlotShared.signals). One that comes between the look and the system call is found by on_signal().
ana_raw_wait:
        .cfi_startproc
        mov     %rdi, %rax
        mov     %rsi, %rdi
        mov     %rdx, %rsi
        mov     %rcx, %rdx
        mov     %r8, %r10
        mov     %r9, %r8
        mov     8(%rsp), %r9
ana_wait_begin:
        cmpq    $0, %gs:40
        jne     ana_wait_interrupted
        syscall
ana_wait_end:
        ret
ana_wait_interrupted:
        mov     $-4, %rax               // EINTR
        ret
        .cfi_endproc

// void ana_raw_sigreturn(KernelContext*): goes on there.
ana_raw_sigreturn:
        mov     %rdi, %rsp
        mov     $15, %eax
        syscall
        nop

// gdb knows the frames of signals by these very instructions, in a function with "sigaction" in its name.
ana_sigaction_restorer:
        .byte   0x48, 0xc7, 0xc0, 15, 0, 0, 0   // mov $15, %rax: rt_sigreturn
        syscall
        nop

// long ana_raw_clone(number, a, b, c, d, e, ChildStart*). The parent gets the kernel's answer. The child, on its own
// stack, makes itself known (ana_child_init) and goes on with the registers of ChildStart, at its address, with rax 0.
ana_raw_clone:
        push    %r12
        mov     %rdi, %rax
        mov     %rsi, %rdi
        mov     %rdx, %rsi
        mov     %rcx, %rdx
        mov     %r8, %r10
        mov     %r9, %r8
        mov     16(%rsp), %r12
        syscall
        test    %rax, %rax
        jz      1f
        pop     %r12
        ret
1:      mov     %rsp, %rbx
        and     $-16, %rsp
        mov     %r12, %rdi
        call    ana_child_init
        mov     %rbx, %rsp
        mov     %r12, %rcx
        mov     0(%rcx), %r8
        mov     8(%rcx), %r9
        mov     16(%rcx), %r10
        mov     24(%rcx), %r11
        mov     32(%rcx), %r12
        mov     40(%rcx), %r13
        mov     48(%rcx), %r14
        mov     56(%rcx), %r15
        mov     64(%rcx), %rdi
        mov     72(%rcx), %rsi
        mov     80(%rcx), %rbp
        mov     88(%rcx), %rbx
        mov     96(%rcx), %rdx
        xor     %eax, %eax
        mov     128(%rcx), %rcx
        jmp     *%rcx
        nop
ana_raw_end:
        nop

// Where handlers return to if the program named nothing: a system call like its own.
        .text
        .globl ana_dispatched_restorer
ana_dispatched_restorer:
        mov     $15, %rax
        syscall
        nop

// long ana_outside_clone(flags, stack, entry): a thread that nobody records, which starts as a program does.
        .text
        .globl ana_outside_clone
ana_outside_clone:
        mov     %rdx, %r9
        xor     %edx, %edx
        xor     %r10d, %r10d
        xor     %r8d, %r8d
        mov     $56, %eax               // clone
        syscall
        test    %rax, %rax
        jz      1f
        ret
1:      mov     $158, %eax              // arch_prctl(ARCH_SET_GS, 0)
        mov     $0x1001, %edi
        xor     %esi, %esi
        syscall
        xor     %edx, %edx
        xor     %ebp, %ebp
        jmp     *%r9

// The process starts here: the kernel's stack in rsp, everything else unknown.
        .text
        .globl _start
_start:
        xor     %ebp, %ebp
        mov     %rsp, %rdi
        and     $-16, %rsp
        call    ana_host_main           // returns StartPoint*: {entry, stack}
        mov     8(%rax), %rsp
        mov     0(%rax), %rax
        xor     %edx, %edx
        xor     %ecx, %ecx
        xor     %ebx, %ebx
        xor     %esi, %esi
        xor     %edi, %edi
        xor     %ebp, %ebp
        xor     %r8d, %r8d
        xor     %r9d, %r9d
        xor     %r10d, %r10d
        xor     %r11d, %r11d
        xor     %r12d, %r12d
        xor     %r13d, %r13d
        xor     %r14d, %r14d
        xor     %r15d, %r15d
        jmp     *%rax

        .section .note.GNU-stack, "", @progbits
