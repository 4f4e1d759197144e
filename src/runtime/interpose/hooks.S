// The cold calls of instrumented code. Convention preserve_all: every register but r11 is kept. The host uses general
// registers only, so vector registers need no care.
        .macro  hook name, offset
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
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
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .section ana_runtime, "ax", @progbits
        .hidden ana_hooks
        hook    __ana_check, 0
        hook    __ana_poll, 8
        hook    __ana_begin, 16
        hook    __ana_end, 24
        .section .note.GNU-stack, "", @progbits
