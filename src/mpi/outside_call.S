// void ana_outside_make(OutsideRequest*): calls the function with the words of the request, six in registers and the
// others on the stack, and puts rax and xmm0 back. Offsets are those of trace/outside.h, which outside_entry.h checks.
        .text
        .globl  ana_outside_make
        .type   ana_outside_make, @function
ana_outside_make:
        .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
        push    %rbx
        sub     $152, %rsp              // 18 words, and 16-byte alignment
        mov     %rdi, %rbx
        lea     72(%rbx), %rsi          // words[6...]
        mov     %rsp, %rdi
        mov     $18, %ecx
        rep movsq
        mov     24(%rbx), %rdi
        mov     32(%rbx), %rsi
        mov     40(%rbx), %rdx
        mov     48(%rbx), %rcx
        mov     56(%rbx), %r8
        mov     64(%rbx), %r9
        xor     %eax, %eax
        call    *8(%rbx)
        mov     %rax, 216(%rbx)
        movsd   %xmm0, 224(%rbx)
        mov     -8(%rbp), %rbx
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   ana_outside_make, . - ana_outside_make

// Functions that MPI is given in the place of the program's: each is its number and a jump.
        .globl  ana_outside_stubs
        .balign 16
ana_outside_stubs:
        .rept   256
        .balign 16
        mov     $(. - ana_outside_stubs), %eax
        jmp     call_back
        .endr
        .balign 16
call_back:
        .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
        sub     $48, %rsp
        mov     %rdi, 0(%rsp)
        mov     %rsi, 8(%rsp)
        mov     %rdx, 16(%rsp)
        mov     %rcx, 24(%rsp)
        mov     %r8, 32(%rsp)
        mov     %r9, 40(%rsp)
        mov     %eax, %edi
        shr     $4, %edi
        mov     %rsp, %rsi
        call    ana_outside_callback
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .section .note.GNU-stack, "", @progbits
