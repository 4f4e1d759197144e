// void ana_debug_trap(why, value): stops for the debugger (trace/debug_control.h).
        .text
        .globl  ana_debug_trap, ana_debug_trapped
ana_debug_trap:
        .cfi_sections .debug_frame
        .cfi_startproc
        int3
ana_debug_trapped:
        ret
        .cfi_endproc
        .section .note.GNU-stack, "", @progbits
