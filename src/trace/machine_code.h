// Writes the few instructions of x86-64 that a translation (translate.cc) puts between those of a program. Registers have
// the processor's numbers; operands in the thread's area are given as offsets from gs.
#pragma once
#include <stdint.h>
#include <string.h>

#include <initializer_list>
#include <vector>

namespace ana {

enum Register : uint8_t { kRax = 0, kRcx = 1, kRsp = 4, kNone = 0xff };

class MachineCode {
 public:
  explicit MachineCode(uint64_t address) : address_(address) {}

  uint64_t here() const { return address_ + bytes_.size(); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

  void put(std::initializer_list<uint8_t> bytes) { bytes_.insert(bytes_.end(), bytes); }
  void copy(const uint8_t* from, size_t count) { bytes_.insert(bytes_.end(), from, from + count); }
  template <class T>
  void put_number(T number) {
    auto at = bytes_.size();
    bytes_.resize(at + sizeof number);
    memcpy(bytes_.data() + at, &number, sizeof number);
  }
  // Of an address, from behind these four bytes and `after` more.
  void put_relative(uint64_t target, uint32_t after = 0) {
    put_number(static_cast<int32_t>(target - (here() + sizeof(int32_t) + after)));
  }
  // The four bytes at `at` (of bytes()) are relative to what follows them.
  void set_relative(size_t at, uint64_t target) {
    auto relative = static_cast<int32_t>(target - (address_ + at + sizeof(int32_t)));
    memcpy(bytes_.data() + at, &relative, sizeof relative);
  }

  void store_gs(Register from, uint32_t offset) { gs(0x48, 0x89, from, offset); }
  void load_gs(Register to, uint32_t offset) { gs(0x48, 0x8b, to, offset); }
  void load_gs_half(Register to, uint32_t offset) { gs(0, 0x8b, to, offset); }
  void add_gs(Register to, uint32_t offset) { gs(0x48, 0x03, to, offset); }
  void compare_gs(Register with, int32_t offset) { gs(0x48, 0x39, with, static_cast<uint32_t>(offset)); }
  // gs:[offset + 8 * index]
  void compare_gs_entry(Register with, int32_t offset, Register index = kRax) { gs_entry(0x39, with, offset, index); }
  void store_gs_entry(Register from, int32_t offset, Register index = kRax) { gs_entry(0x89, from, offset, index); }
  // Whether the byte gs:[offset + index] is 0.
  void test_gs_byte(int32_t offset, Register index) {
    put({0x65, static_cast<uint8_t>(0x40 | (index >= 8) << 1), 0x80, 0x3c,
         static_cast<uint8_t>((index & 7) << 3 | 5)});
    put_number(offset);
    put({0});
  }
  void shift_right(Register r, uint8_t by, bool half = false) { one(half ? 0x40 : 0x48, 0xc1, 5, r), put({by}); }
  // Of the lower halves of registers.
  void move_half(Register to, Register from) {
    put({static_cast<uint8_t>(0x40 | (from >= 8) << 2 | (to >= 8)), 0x89,
         static_cast<uint8_t>(0xc0 | (from & 7) << 3 | (to & 7))});
  }
  void and_half(Register r, uint32_t mask) { one(0x40, 0x81, 4, r), put_number(mask); }
  void xor_half(Register r, uint32_t with) { one(0x40, 0x81, 6, r), put_number(with); }
  void test_half(Register r, uint32_t mask) { one(0x40, 0xf7, 0, r), put_number(mask); }
  void compare_half(Register r, uint32_t with) { one(0x40, 0x81, 7, r), put_number(with); }
  void jump_gs(uint32_t offset) {
    put({0x65, 0xff, 0x24, 0x25});
    put_number(offset);
  }
  // lea of base + index * scale + displacement; kNone: not there.
  void lea(Register to, uint8_t base, uint8_t index, uint8_t scale, int32_t displacement, bool half = false) {
    uint8_t rex = (half ? 0x40 : 0x48) | (to >= 8 ? 4 : 0) | (index != kNone && index >= 8 ? 2 : 0) | (base != kNone && base >= 8 ? 1 : 0);
    uint8_t scale_bits = scale == 8 ? 0xc0 : scale == 4 ? 0x80 : scale == 2 ? 0x40 : 0;
    uint8_t index_bits = static_cast<uint8_t>((index == kNone ? 4 : index & 7) << 3);
    uint8_t mod = base == kNone ? 0x04 : 0x84;
    put({rex, 0x8d, static_cast<uint8_t>(mod | (to & 7) << 3),
         static_cast<uint8_t>(scale_bits | index_bits | (base == kNone ? 5 : base & 7))});
    put_number(displacement);
  }
  void lea_address(Register to, uint64_t address) {
    put({0x48, 0x8d, static_cast<uint8_t>(0x05 | to << 3)});
    put_relative(address);
  }
  void jump(uint64_t target) {
    put({0xe9});
    put_relative(target);
  }
  // A jump forwards: the place of its distance, for set_relative().
  size_t jump_far(uint8_t short_opcode) {
    put({0x0f, static_cast<uint8_t>(short_opcode + 0x10), 0, 0, 0, 0});
    return bytes_.size() - sizeof(int32_t);
  }
  // A short jump forwards: the place of its distance, for land().
  size_t jump_short(uint8_t opcode) {
    put({opcode, 0});
    return bytes_.size() - 1;
  }
  void land(size_t jump) { bytes_[jump] = static_cast<uint8_t>(bytes_.size() - jump - 1); }

 private:
  void gs(uint8_t rex, uint8_t opcode, Register r, uint32_t offset) {
    put({0x65});
    if (r >= 8) rex |= 0x44;
    if (rex) put({rex});
    put({opcode, static_cast<uint8_t>(0x04 | (r & 7) << 3), 0x25});
    put_number(offset);
  }
  void gs_entry(uint8_t opcode, Register r, int32_t offset, Register index) {
    put({0x65, static_cast<uint8_t>(0x48 | (r >= 8) << 2 | (index >= 8) << 1), opcode,
         static_cast<uint8_t>(0x04 | (r & 7) << 3), static_cast<uint8_t>(0xc5 | (index & 7) << 3)});
    put_number(offset);
  }
  // An instruction of one register, whose opcode goes on in the place of another.
  void one(uint8_t rex, uint8_t opcode, uint8_t more, Register r) {
    put({static_cast<uint8_t>(rex | (r >= 8)), opcode, static_cast<uint8_t>(0xc0 | more << 3 | (r & 7))});
  }

  uint64_t address_;
  std::vector<uint8_t> bytes_;
};

}  // namespace ana
