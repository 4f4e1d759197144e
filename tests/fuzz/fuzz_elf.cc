// A program's file, as the tools look into it.
#include "scratch.h"
#include "trace/elf_file.h"
#include "trace/make_step_table.h"
#include "trace/translate.h"

using namespace ana;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string path = scratch() / "program";
  write_file(path, text_of(data, size));
  auto elf = ElfFile::open(path);
  if (!elf) return 0;
  for (const char* name : {".text", "ana_sites", "ana_every_access"}) (void)elf->section(name);
  (void)elf->build_id();
  (void)elf->needed();
  (void)elf->library_path();
  if (auto code = read_step_code(*elf, 0x10000))
    (void)translate(*code, *elf, 0x10000, {.once = TranslationWishes::Once::kLines});
  return 0;
}
