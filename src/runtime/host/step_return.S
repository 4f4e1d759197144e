// Where functions of the host return to in a thread that is followed by instructions (order/stepping.cc): goes on where
// the host was called, with the trap flag set and all registers as they are. 32 is offsetof(SlotShared, step_return).
        .text
        .globl  ana_step_return
ana_step_return:
        pushq   %gs:32
        movq    $0, %gs:32
        pushfq
        orq     $0x100, (%rsp)
        popfq
        ret
        .section .note.GNU-stack, "", @progbits
