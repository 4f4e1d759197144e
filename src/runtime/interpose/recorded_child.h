// Programs executed by recorded ones. Called once, before anything of the program runs, if it runs without the host.
#pragma once

namespace ana {

// Does not return if the program is to be recorded as well.
void record_if_child(int count, char** arguments, char** environment);

}  // namespace ana
