#include "runtime/interpose/held_memory.h"

namespace ana {
namespace {

size_t length_of(const char* s, size_t limit, uint32_t unit) {
  return unit == 1 ? access::length(s, limit) : wide_length(reinterpret_cast<const wchar_t*>(s), limit);
}

bool has_end(const char* s, size_t length, uint32_t unit) {
  if (unit == 1) return memchr(s, 0, length);
  return wmemchr(reinterpret_cast<const wchar_t*>(s), 0, length);
}

}  // namespace

void HeldMemory::string(const void* s, size_t limit, uint32_t unit) {
  if (s && texts_count_ < kMaxTexts) texts_[texts_count_++] = {static_cast<const char*>(s), limit, 0, unit};
}

void HeldMemory::add(const void* p, size_t bytes, bool write) {
  if (p && bytes && ranges_count_ < kMaxRanges) ranges_[ranges_count_++] = access::range_of(p, bytes, write);
}

void HeldMemory::hold() {
  if (passive()) return;
  while (!try_to_hold()) release();
}

// False if a string has become longer before all were held; the next try takes at least as much of it.
bool HeldMemory::try_to_hold() {
  uint32_t count = ranges_count_;
  for (uint32_t i = 0; i < texts_count_; ++i) {
    Text& text = texts_[i];
    size_t length = length_of(text.at, text.limit, text.unit);
    if (length < text.limit) ++length;  // the NUL
    if (length > text.length) text.length = length;
    if (text.length) ranges_[count++] = access::range_of(text.at, text.length * text.unit, false);
  }
  if (!count) return true;
  access::acquire(ranges_, count);
  for (; pins_ < count; ++pins_) g_host->pin(ranges_[pins_]);  // after it: pins count as ranges of each event
  for (uint32_t i = 0; i < texts_count_; ++i) {
    const Text& text = texts_[i];
    if (text.length < text.limit && !has_end(text.at, text.length, text.unit)) return false;
  }
  return true;
}

void HeldMemory::release() {
  for (; pins_; --pins_) g_host->unpin();
}

}  // namespace ana
