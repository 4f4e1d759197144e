// Functions of libstdc++ behind unordered containers that read or write memory of the program's.
#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/runtime.h"

using namespace ana;

#define ANA_HASH(name)                                                            \
  ANA_EXPORT size_t name(const void* bytes, size_t length, size_t seed) {         \
    access::read_all(bytes, length);                                              \
    return ANA_REAL(name)(bytes, length, seed);                                   \
  }

ANA_HASH(_ZSt11_Hash_bytesPKvmm)
ANA_HASH(_ZSt15_Fnv_hash_bytesPKvmm)

namespace {

// std::__detail::_Prime_rehash_policy
struct RehashPolicy {
  float max_load_factor;
  size_t next_resize;
};

}  // namespace

// Remembers when the table will have to grow again.
ANA_EXPORT size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(RehashPolicy* self, size_t least) {
  access::write(&self->next_resize, sizeof self->next_resize);
  return ANA_REAL(_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm)(self, least);
}
