/* The contract between instrumented code and the runtime.
 *
 * Instrumented code finds the state of its thread through the gs segment: gs:0 is the thread's control block, and the
 * thread's table of permissions lies at a fixed distance behind it. So a check needs no TLS model, no relocation and no
 * symbol, and it is the same in programs, in libraries and in code that runs before TLS exists.
 *
 *   check  of a line for reading or writing:   gs:[permissions + 8*line + 4*write] >= gs:[epoch]
 *   poll   at function entries and loop latches: ++gs:[count] >= gs:[limit]
 *
 * Both fall into a cold call when they fail. There are many of these, so they are short: what they are about stands behind
 * the call, as instructions that do nothing.
 *
 * This header is C, so that it can be read from anywhere; the pass, the runtime and the tools share it. */
#ifndef ANAPHORA_RUNTIME_ABI_H
#define ANAPHORA_RUNTIME_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Offsets from the gs base, in bytes. session.h asserts that they are true. */
#define ANA_GS_SELF 0        /* u64: the linear address of gs:0 */
#define ANA_GS_EPOCH 8       /* u32: what a permission must reach */
#define ANA_GS_SLOT 12       /* u32: which logical thread this is */
#define ANA_GS_COUNT 16      /* u64: polls passed; the thread's clock */
#define ANA_GS_RETRY 24      /* u64: set by __ana_end() if the access must be repeated */
#define ANA_GS_LIMIT 64      /* u64: the count at which a poll goes slow; other threads may set it to 0 */
#define ANA_GS_RANGES 128    /* AnaRange[ANA_MAX_RANGES]: arguments of the cold calls */
#define ANA_GS_PERMISSIONS 0x200000 /* {u32 read_until, u32 write_until} for each line */

/* line = (address >> ANA_LINE_SHIFT) & ANA_LINE_MASK. Addresses 128 GiB apart share a line: that costs time, not truth. */
#define ANA_LINE_SHIFT 6
#define ANA_LINE_MASK 0x7fffffffu

/* A held set may not have more ranges than this; the pass ends a segment before it would. */
#define ANA_MAX_RANGES 64
#define ANA_RANGE_WRITE (UINT64_C(1) << 63)

/* Bytes [first, last], for writing if bit 63 of `first` is set. */
typedef struct AnaRange {
  uint64_t first;
  uint64_t last;
} AnaRange;

/* Of a wild pointer only the bits count that an address can have: its access is going to fault, and not here. */
#define ANA_ADDRESS_MASK ((UINT64_C(1) << 47) - 1)
static inline AnaRange ana_range(uint64_t first, uint64_t last, int write) {
  AnaRange range = {(first & ANA_ADDRESS_MASK) | (write ? ANA_RANGE_WRITE : 0), last & ANA_ADDRESS_MASK};
  return range;
}

/* What the access of a site is, above its column: of accesses by --every-access, and of atomic ones everywhere. A fence is
 * atomic and neither reads nor writes; what it is said to access is nothing. Assembly is taken for an atomic access that acquires and releases. */
#define ANA_SITE_COLUMN 0xffffu
#define ANA_SITE_READ (1u << 16)
#define ANA_SITE_WRITE (1u << 17)
#define ANA_SITE_ATOMIC (1u << 18)
#define ANA_SITE_ACQUIRE (1u << 19)
#define ANA_SITE_RELEASE (1u << 20)
#define ANA_SITE_CLAIM (1u << 21) /* of the runtime's own: taken for the order only, more than is accessed */
#define ANA_SITE_FLAGS 0x3f0000u
/* Above that, of the site of a cold call: how many ranges it has, and how many of them stand behind the call. */
#define ANA_SITE_RANGES_SHIFT 22
#define ANA_SITE_RANGES 0x7fu
#define ANA_SITE_DESCRIBED_SHIFT 29
#define ANA_SITE_DESCRIBED 7u

/* A place in the program at which a thread may wait. The pass emits one per cold call, into the section `ana_sites`;
 * its address is its identity in traces. Strings are found at their field's own address plus its value (0: unknown). */
typedef struct AnaSite {
  int32_t file;
  int32_t function;
  uint32_t line;
  uint32_t column; /* and ANA_SITE_ flags, and numbers of ranges */
} AnaSite;

/* Cold calls. They never throw, and keep every register but r11 and the flags; the stack need not be aligned. There are no
 * arguments. Behind the call stand the site and, of as many ranges as the site says, where they are:
 *
 *       call  __ana_check@PLT
 *       nopl  site(%rip)
 *       nopl  first            the address of the first byte; nopq: for writing
 *       testb $n, %al          the last byte is n bytes behind it; or: nopl last
 *       ...
 *
 * The call returns to these instructions, which have no effect. Further ranges have been stored in `ranges` of the control
 * block before, at their places behind those. All are valid on return: first the lines that a check was for, then those
 * held from before. */
void __ana_check(void);
void __ana_poll(void);

/* Whether the lines of the bytes from rax to rdx are valid: the carry flag is set if not. rax, rdx and r11 are lost. */
void __ana_scan_read(void);
void __ana_scan_write(void);

/* Around every access, in code compiled with --every-access; convention preserve_all. `ranges[0, count)` of the control
 * block are what the instruction accesses. After __ana_end() of a plain read, gs:[retry] tells whether to begin again. */
void __ana_begin(uint32_t count, const AnaSite *site);
void __ana_end(uint32_t count, const AnaSite *site);

/* Library memory operations as ranged accesses; ordinary calls, which end every held set of the caller. */
void *__ana_memcpy(void *to, const void *from, size_t size, const AnaSite *site);
void *__ana_memmove(void *to, const void *from, size_t size, const AnaSite *site);
void *__ana_memset(void *to, int byte, size_t size, const AnaSite *site);

/* Make bytes valid for reading or writing until the thread's next call or poll. For inline assembly with a memory
 * clobber the pass cannot know the lines, so none is claimed. */
void __ana_range(const void *at, size_t size, uint32_t write, const AnaSite *site);

/* Instructions whose result is an input of the program: rdtsc, rdtscp, rdrand, rdseed, rdpid, xgetbv. */
uint64_t __ana_rdtsc(void);
uint64_t __ana_rdtscp(uint32_t *aux);
uint64_t __ana_rdrand(uint32_t bits, uint32_t *ok);
uint64_t __ana_rdseed(uint32_t bits, uint32_t *ok);

#ifdef __cplusplus
}
#endif
#endif
