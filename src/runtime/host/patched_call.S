// Patched code comes here instead of executing `syscall` (syscalls/patches.h): rcx is its Trampoline, r11 is free; a
// system call keeps neither. All other registers, and the flags, are the program's, and its stack is not touched.
// gs:48 is SlotShared.call_stack.
        .set    AFTER, 40               // of Trampoline
        .set    RESUME, 48
        .set    PLAIN, 56
        .text
        .globl  ana_patched_call
ana_patched_call:
        .cfi_sections .debug_frame
        .cfi_startproc simple
        mov     %gs:48, %r11
        xchg    %rcx, %r11
        jrcxz   1f
        xchg    %rsp, %rcx
        pushfq                          // in greg_t order, from the last
        pushq   AFTER(%r11)             // rip
        push    %rcx                    // rsp
        pushq   AFTER(%r11)             // rcx, as after a system call
        push    %rax
        push    %rdx
        push    %rbx
        push    %rbp
        push    %rsi
        push    %rdi
        push    %r15
        push    %r14
        push    %r13
        push    %r12
        pushq   13*8(%rsp)              // r11: the flags
        push    %r10
        push    %r9
        push    %r8
        // For debuggers: the caller is the program at the system call, with its stack and the registers saved here.
        .cfi_escape 0x0f, 4, 0x77, 0xf8, 0x00, 0x06     // CFA: *(rsp + 120)
        .cfi_escape 0x10, 16, 3, 0x77, 0x80, 0x01       // rip at rsp + 128
        .cfi_escape 0x10, 3, 3, 0x77, 0xd8, 0x00        // rbx at rsp + 88
        .cfi_escape 0x10, 6, 3, 0x77, 0xd0, 0x00        // rbp at rsp + 80
        .cfi_escape 0x10, 12, 2, 0x77, 0x20             // r12 at rsp + 32
        .cfi_escape 0x10, 13, 2, 0x77, 0x28
        .cfi_escape 0x10, 14, 2, 0x77, 0x30
        .cfi_escape 0x10, 15, 2, 0x77, 0x38
        mov     %r11, %rbx
        mov     %rsp, %rdi
        call    ana_on_patched_call
        mov     RESUME(%rbx), %rcx
        pop     %r8
        pop     %r9
        pop     %r10
        pop     %r11
        add     $32, %rsp               // r12 to r15 are as they were
        pop     %rdi
        pop     %rsi
        pop     %rbp
        pop     %rbx
        pop     %rdx
        mov     16(%rsp), %rsp          // past rax and rcx
        jmp     *%rcx
1:      jmp     *PLAIN(%r11)
        .cfi_endproc
        .section .note.GNU-stack, "", @progbits
