/* In front of libstdc++'s header of the same name: whether a hash table has to grow, which the library keeps compiled, as
 * an inline function of the user's code, where its accesses are instrumented. How many buckets there are to be is still
 * the library's decision, on a copy; so tables have the same order as without Anaphora. */
#pragma GCC system_header
#include_next <bits/hashtable_policy.h>
#ifndef ANAPHORA_HASHTABLE_POLICY_H
#define ANAPHORA_HASHTABLE_POLICY_H 1

namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
namespace __detail {

inline std::pair<bool, std::size_t> _Prime_rehash_policy::_M_need_rehash(std::size_t __buckets, std::size_t __elements,
                                                                         std::size_t __more) const {
  const std::size_t __wanted = __elements + __more;
  if (__wanted <= _M_next_resize) return {false, 0};
  // The first insertion is made ready for eleven elements at once.
  const double __least = (_M_next_resize || __wanted > 11 ? __wanted : 11) / (double)_M_max_load_factor;
  if (__least < __buckets) {
    _M_next_resize = __builtin_floor(__buckets * (double)_M_max_load_factor);
    return {false, 0};
  }
  const std::size_t __grown = __buckets * _S_growth_factor, __enough = __builtin_floor(__least) + 1;
  _Prime_rehash_policy __copy(*this);
  const std::size_t __result = __copy._M_next_bkt(__enough > __grown ? __enough : __grown);
  _M_next_resize = __copy._M_next_resize;
  return {true, __result};
}

}  // namespace __detail
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
#endif
