// ELF files and the sites in them: this test program carries two, made as the pass makes them.
#include "trace/elf_file.h"

#include <gtest/gtest.h>

#include <random>

#include "anaphora/runtime_abi.h"
#include "cli/sites.h"
#include "runtime/layout.h"
#include "trace_builder.h"

asm(R"(
  .section .rodata.site_strings,"a",@progbits
.Lsite_file: .asciz "queue.c"
.Lsite_function: .asciz "pop"
  .section ana_sites,"aw",@progbits
  .balign 16
  .globl unit_test_sites
unit_test_sites:
  .long .Lsite_file - .
  .long .Lsite_function - .
  .long 41, 7
  .long 0, 0, 0, 0
  .text
)");
extern "C" const AnaSite unit_test_sites[2];
extern "C" const char __executable_start[];

namespace ana {
namespace {

uint64_t recorded_address(const AnaSite* site) {
  return layout::kProgram + static_cast<uint64_t>(reinterpret_cast<const char*>(site) - __executable_start);
}

TEST(Sites, AreFoundInTheProgram) {
  SiteResolver resolver("/proc/self/exe");
  auto place = resolver.find(recorded_address(&unit_test_sites[0]));
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->file, "queue.c");
  EXPECT_EQ(place->function, "pop");
  EXPECT_EQ(place->line, 41u);
  EXPECT_EQ(place->column, 7u);
  EXPECT_EQ(resolver.describe(recorded_address(&unit_test_sites[0])), "queue.c:41 (pop)");
}

TEST(Sites, UnknownOnesAreShownAsAddresses) {
  SiteResolver resolver("/proc/self/exe");
  EXPECT_EQ(resolver.describe(0x7fff12345678), "0x7fff12345678");
  EXPECT_EQ(resolver.describe(1), "a library or system call");
  uint64_t nameless = recorded_address(&unit_test_sites[1]);
  EXPECT_TRUE(resolver.find(nameless).has_value());
  SiteResolver nothing("/nonexistent");
  EXPECT_FALSE(nothing.find(nameless).has_value());
}

TEST(ElfFileTest, HasAnIdentity) {
  auto elf = ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(elf.ok()) << elf.error().text;
  std::string id = elf->build_id();
  EXPECT_TRUE(id.starts_with("gnu:") || id.starts_with("xxh64:"));
  EXPECT_TRUE(elf->section(".text").has_value());
  EXPECT_FALSE(elf->section(".nonsense").has_value());
}

TEST(ElfFileTest, DamagedFilesNeverCrash) {
  ScratchDirectory scratch;
  std::string good = read_file("/proc/self/exe").substr(0, 1 << 16);
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; i++) {
    std::string bad = good;
    for (int n = 0; n < 4; n++) bad[random() % 1024] = static_cast<char>(random());
    if (i % 3 == 0) bad.resize(random() % bad.size());
    write_file(scratch / "bad", bad);
    auto elf = ElfFile::open(scratch / "bad");
    if (!elf) continue;
    elf->build_id();
    elf->section("ana_sites");
    elf->string_at(random() % 0x20000);
    elf->at(random() % 0x20000, random());
  }
  write_file(scratch / "text", "#!/bin/sh\necho this is a script, which is longer than the header of an ELF file\n");
  EXPECT_FALSE(ElfFile::open(scratch / "text").ok());
  EXPECT_FALSE(ElfFile::open("/").ok());
}

}  // namespace
}  // namespace ana
