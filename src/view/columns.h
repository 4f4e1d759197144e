// A picture as bytes for the page: a description in JSON, then a column for each field of the events, compressed as a
// whole (zlib). web/src/decode.ts reads it.
//
//   u32 bytes of JSON, the JSON, zeros up to a multiple of 8, then the columns at the offsets that "columns" in the JSON
//   names: {"name": [offset behind the zeros, bytes]}
//
// Events stand lane by lane. Columns: kinds (a byte each); counts and order (varints, difference to the event before in
// the lane, the first to 0); places, whats, notes (varints); lanes (varint: lane of the event that it came after + 1,
// or 0); sources (for those: varint, 0 if that event is unknown, else 1 + zigzag of its index in the lane less that of
// the last one from there to here); results (8 bytes, for events from kCall on, aligned). If sharing was looked for, of
// events of kAccess: sharing (a byte each) and addresses (8 bytes, aligned); else these are empty.
#pragma once
#include <stdint.h>

#include <vector>

#include "trace/result.h"
#include "view/picture.h"

namespace ana::view {

std::vector<uint8_t> to_columns(const Picture& picture);
Result<std::vector<uint8_t>> compress(const std::vector<uint8_t>& bytes);

}  // namespace ana::view
