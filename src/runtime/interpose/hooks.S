// What instrumented code calls that is not C (anaphora/runtime_abi.h). The host uses general registers only, so vector
// registers need no care; the stack need not be aligned.
// start.cc asserts what is said here of the control block.
        .set    kEpoch, 8
        .set    kPermissions, 0x200000
        .set    kLineShift, 6
        .set    kLineMask, 0x7fffffff

        .macro  function name
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        .endm

        .macro  end name
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .macro  enter
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
        .endm

// Cold calls: a ColdCall (trace/cold_call.h) with all registers, as they are when the call returns, is the argument.
        .macro  cold name, offset
        function \name
        enter
        sub     $8, %rsp
        pushq   8(%rbp)
        push    %r15
        push    %r14
        push    %r13
        push    %r12
        push    %r11
        push    %r10
        push    %r9
        push    %r8
        push    %rdi
        push    %rsi
        pushq   (%rbp)
        lea     16(%rbp), %rdi
        push    %rdi
        push    %rbx
        push    %rdx
        push    %rcx
        push    %rax
        cld
        mov     %rsp, %rdi
        and     $-16, %rsp
        call    *ana_hooks+\offset(%rip)
        lea     -144(%rbp), %rsp
        pop     %rax
        pop     %rcx
        pop     %rdx
        add     $24, %rsp
        pop     %rsi
        pop     %rdi
        pop     %r8
        pop     %r9
        pop     %r10
        mov     %rbp, %rsp
        pop     %rbp
        .cfi_def_cfa %rsp, 8
        ret
        end     \name
        .endm

// Around every access: convention preserve_all, every register but r11 is kept.
        .macro  hook name, offset
        function \name
        enter
        push    %rax
        push    %rcx
        push    %rdx
        push    %rsi
        push    %rdi
        push    %r8
        push    %r9
        push    %r10
        push    %rbx
        pushfq
        cld
        and     $-16, %rsp
        mov     ana_hooks+\offset(%rip), %rax
        call    *%rax
        lea     -80(%rbp), %rsp
        popfq
        pop     %rbx
        pop     %r10
        pop     %r9
        pop     %r8
        pop     %rdi
        pop     %rsi
        pop     %rdx
        pop     %rcx
        pop     %rax
        pop     %rbp
        .cfi_def_cfa %rsp, 8
        ret
        end     \name
        .endm

// The lines of the bytes from rax to rdx: most ranges are of one line or two, the others go on four at a time and then one
// by one. Lines are numbered modulo their mask: where the numbers wrap inside the range, the runtime is asked.
        .macro  scan name, write
        function \name
        shr     $kLineShift, %rax
        shr     $kLineShift, %rdx
        and     $kLineMask, %eax
        and     $kLineMask, %edx
        mov     %gs:kEpoch, %r11d
        cmp     %r11d, %gs:kPermissions + 4 * \write(, %rax, 8)
        jb      3f
        sub     %rax, %rdx
        jbe     3f                      // that was all: no carry; or they wrap: carry
        cmp     %r11d, %gs:kPermissions + 4 * \write + 8(, %rax, 8)
        jb      3f
        dec     %rdx                    // which keeps the carry flag
        je      3f
        lea     kPermissions + 4 * \write + 16(, %rax, 8), %rax
        sub     $4, %rdx
        jb      2f
        .p2align 4
1:      cmp     %r11d, %gs:(%rax)
        jb      3f
        cmp     %r11d, %gs:8(%rax)
        jb      3f
        cmp     %r11d, %gs:16(%rax)
        jb      3f
        cmp     %r11d, %gs:24(%rax)
        jb      3f
        add     $32, %rax
        sub     $4, %rdx
        jae     1b
2:      add     $4, %edx                // how many are left, from rax on
        je      4f
5:      cmp     %r11d, %gs:(%rax)
        jb      3f
        add     $8, %rax
        dec     %edx
        jne     5b
4:      clc
3:      ret
        end     \name
        .endm

        .section ana_runtime, "ax", @progbits
        .hidden ana_hooks
        cold    __ana_check, 0
        cold    __ana_poll, 8
        hook    __ana_begin, 16
        hook    __ana_end, 24
        scan    __ana_scan_read, 0
        scan    __ana_scan_write, 1
        .section .note.GNU-stack, "", @progbits
