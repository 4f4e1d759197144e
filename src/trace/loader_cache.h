// The cache of the dynamic loader, /etc/ld.so.cache: nearly every program maps it, so that it is in nearly every trace, and
// takes more room there than all else that happens at the start. Its table has 24 bytes for each library, of which most can be
// told from one another and from the names, by which it is sorted. As columns of differences it nearly vanishes.
//
// Both functions change the table in its place and leave everything else. They may be given any bytes.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <optional>

namespace ana {

// Where one begins whose table is whole.
std::optional<size_t> find_loader_cache(const uint8_t* bytes, size_t size);

// False if there is none at the beginning of the bytes, or it goes beyond them.
bool loader_cache_to_columns(uint8_t* bytes, size_t size);
bool loader_cache_from_columns(uint8_t* bytes, size_t size);

}  // namespace ana
