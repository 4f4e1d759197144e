// Where functions of the host return to in a thread that is followed by instructions (order/stepping.cc): goes on where
// the host was called, with all registers as they are, and the trap flag set if the thread is to be followed further. 32 is
// offsetof(SlotShared, step_return), 56 that of `follows`.
        .text
        .globl  ana_step_return
ana_step_return:
        pushq   %gs:32
        movq    $0, %gs:32
        cmpq    $0, %gs:56
        je      1f
        pushfq
        orq     $0x100, (%rsp)
        popfq
1:      ret
        .section .note.GNU-stack, "", @progbits
