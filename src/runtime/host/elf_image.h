// Maps an ELF executable or loader at an address of our choice.
#pragma once
#include <elf.h>
#include <stdint.h>

namespace ana {

struct ElfImage {
  uint64_t base;       // added to the file's addresses
  uint64_t begin, end; // addresses mapped
  uint64_t entry;
  uint64_t text_begin, text_end;  // the (last) executable segment, as far as it is in the file
  uint64_t headers;    // address of the program headers in memory
  uint16_t header_count;
  char interpreter[256];
};

// `base` is used for position independent files only. Ends the process with a report if it cannot be done.
ElfImage map_elf_image(const char* path, uint64_t base);

}  // namespace ana
