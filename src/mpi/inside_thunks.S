// The names of MPI inside a recorded program (inside.h). A function is its number and a jump: arguments are handed over
// as they are, whatever they mean. A variable is the one outside: its symbol is resolved by a function, which looks up the
// address that the program outside has put into the page (trace/outside.h) before the recorded program started.
#define ANA_PAGE_SYMBOLS 0x6a4000001000

#define ANA_FUNCTION(name, number) \
        .globl  name ; .type name, @function ; .balign 16 ; \
name:   mov     $number, %eax ; jmp ana_inside_thunk ; .size name, . - name ;
#define ANA_VARIABLE(name, number) \
        .globl  name ; .type name, @gnu_indirect_function ; .balign 16 ; \
name:   movabs  $ANA_PAGE_SYMBOLS + 8 * number, %rax ; mov (%rax), %rax ; ret ; .size name, . - name ;

        .text
        .globl  ana_thunks_begin, ana_thunks_end
        .hidden ana_thunks_begin, ana_thunks_end, ana_inside_call
ana_thunks_begin:
#include ANA_SYMBOLS
        .balign 16
ana_thunks_end:

// Frame (inside.h): number, site, six registers, the arguments on the stack, then the results.
        .type   ana_inside_thunk, @function
ana_inside_thunk:
        .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
        sub     $96, %rsp
        mov     %rax, 0(%rsp)
        mov     8(%rbp), %rax
        mov     %rax, 8(%rsp)
        mov     %rdi, 16(%rsp)
        mov     %rsi, 24(%rsp)
        mov     %rdx, 32(%rsp)
        mov     %rcx, 40(%rsp)
        mov     %r8, 48(%rsp)
        mov     %r9, 56(%rsp)
        lea     16(%rbp), %rax
        mov     %rax, 64(%rsp)
        mov     %rsp, %rdi
        call    ana_inside_call
        mov     72(%rsp), %rax
        movsd   80(%rsp), %xmm0
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   ana_inside_thunk, . - ana_inside_thunk
        .section .note.GNU-stack, "", @progbits
