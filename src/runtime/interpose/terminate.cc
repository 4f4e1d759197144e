// std::terminate with its default handler, which prints and aborts. A thread that comes while another is at it finds that
// out by a variable of libstdc++'s own; so only the first gets there, and keeps the others out until the program ends.
#include "runtime/interpose/runtime.h"

ANA_EXPORT void _ZN9__gnu_cxx27__verbose_terminate_handlerEv() {
  static const char turn = 0;
  if (!ana::passive()) ana::g_host->section_enter(&turn, false);
  ANA_REAL_AS(void(), "_ZN9__gnu_cxx27__verbose_terminate_handlerEv", nullptr)();
}
