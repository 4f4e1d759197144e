// A library with system calls of each shape, and their addresses.
extern const unsigned char in_mov[], in_cmp[], targeted[];

long by_mov(void) {
  long result;
  __asm__ volatile("in_mov:\tmovl $110, %%eax\n\tsyscall" : "=a"(result) : : "rcx", "r11", "memory");  // getppid
  return result;
}

long by_cmp(long number) {
  long result;
  __asm__ volatile("movq %1, %%rax\nin_cmp:\tsyscall\n\tcmpq $-4096, %%rax" : "=&a"(result) : "r"(number)
                   : "rcx", "r11", "memory");
  return result;
}

long jumped_to(long number) {
  long result;
  __asm__ volatile("movq %1, %%rax\n\ttestq %1, %1\n\tjz 1f\ntargeted:\tsyscall\n1:\tcmpq $-4096, %%rax"
                   : "=&a"(result) : "r"(number) : "rcx", "r11", "memory");
  return result;
}

// Which of them are jumps now.
int replaced(void) { return (in_mov[0] == 0xe9) + 2 * (in_cmp[0] == 0xe9) + 4 * (targeted[0] != 0x0f); }
