// A queue whose order depends on the schedule; see main.cc.
#pragma once
#include <vector>

std::vector<int> collect(int threads);
