// How chunks of streams are stored: the bytes as a stored chunk, whose raw size the first two say; and as raw bytes, with a
// record beginning where the first byte says, which must come back from what they are stored as.
#include <stdlib.h>

#include <vector>

#include "trace/chunk_coding.h"

using namespace ana;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  std::vector<uint8_t> raw(size_t{1} + data[0] + data[1] * 256u), stored;
  decode_chunk(data + 2, size - 2, raw.data(), raw.size());
  static ChunkEncoder encoder;
  raw.resize(size - 1);
  if (!encoder.encode(data + 1, size - 1, data[0] % size, stored)) ::abort();
  if (!decode_chunk(stored.data(), stored.size(), raw.data(), raw.size())) ::abort();
  for (size_t i = 0; i < raw.size(); i++) {
    if (raw[i] != data[1 + i]) ::abort();
  }
  return 0;
}
