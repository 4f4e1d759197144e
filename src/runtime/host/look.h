// Copies memory of the program that may not be there (look.S): false if a byte cannot be read.
#pragma once
#include <stdint.h>

extern "C" bool ana_look(const void* from, void* to, uint64_t bytes);
