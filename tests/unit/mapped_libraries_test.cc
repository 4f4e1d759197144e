#include "trace/mapped_libraries.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>

#include "trace/elf_file.h"

namespace ana {
namespace {

constexpr const char* kThis = "/proc/self/exe";  // it has sites of its own (elf_file_test.cc)
constexpr uint64_t kBias = 0x101800010000, kPage = 4096;

// Where this program has its code, as a loader asks for it.
struct Code {
  uint64_t address = 0, offset = 0;
};
int find_code(dl_phdr_info* info, size_t, void* out) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const auto& s = info->dlpi_phdr[i];
    if (s.p_type == PT_LOAD && (s.p_flags & PF_X))
      *static_cast<Code*>(out) = {s.p_vaddr & ~(kPage - 1), s.p_offset & ~(kPage - 1)};
  }
  return 1;  // the first is the program
}

class MappedLibrariesTest : public testing::Test {
 protected:
  MappedLibrariesTest() { dl_iterate_phdr(find_code, &code_); }

  void map(uint64_t bias, uint64_t protection = PROT_READ | PROT_EXEC, bool says_where = true, int64_t longer = 0) {
    auto elf = ElfFile::open(kThis);
    std::string bytes(kThis);
    bytes += '\0';
    ElfMapping mapping{bias + code_.address, kPage, code_.offset, protection};
    if (says_where) bytes.append(reinterpret_cast<const char*>(&mapping), sizeof mapping);
    libraries_.note({1, kOpElfMapping, static_cast<int64_t>(elf->file_bytes()) + longer,
                     {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}},
                    {});
  }

  Code code_;
  MappedLibraries libraries_;
};

TEST_F(MappedLibrariesTest, AreFoundByTheirCode) {
  map(kBias, PROT_READ);
  EXPECT_TRUE(libraries_.all().empty());
  map(kBias);
  map(kBias);
  ASSERT_EQ(libraries_.all().size(), 1u);
  const MappedLibrary& library = libraries_.all()[0];
  EXPECT_EQ(library.file, kThis);
  EXPECT_EQ(library.bias, kBias);
  EXPECT_LE(library.begin, kBias + code_.address);
  EXPECT_GT(library.end, kBias + code_.address);
  map(kBias + (1 << 24));
  EXPECT_EQ(libraries_.all().size(), 2u);
}

TEST_F(MappedLibrariesTest, AreUnknownInOldTracesAndIfTheyHaveChanged) {
  map(kBias, PROT_READ | PROT_EXEC, false);
  map(kBias, PROT_READ | PROT_EXEC, true, 1);
  EXPECT_TRUE(libraries_.all().empty());
}

}  // namespace
}  // namespace ana
