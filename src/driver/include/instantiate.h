/* Included before every C++ file: makes the templates that libstdc++ keeps ready-made (strings, streams) be
 * instantiated in the user's own code, where their accesses are instrumented. Without libstdc++ it does nothing.
 * The functions on nodes of containers are no templates; headers in libstdcxx/ define these. */
#if defined(__cplusplus) && defined(__has_include)
#if __has_include(<bits/c++config.h>) && !__has_include(<__config>)
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#endif
#endif
