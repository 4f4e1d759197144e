/* In front of libstdc++'s header of the same name: the functions on nodes of lists, which the library keeps compiled, as
 * inline functions of the user's code, where their accesses are instrumented. */
#pragma GCC system_header
#include_next <bits/stl_list.h>
#ifndef ANAPHORA_STL_LIST_H
#define ANAPHORA_STL_LIST_H 1

namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
namespace __detail {

inline void _List_node_base::_M_hook(_List_node_base* const __position) _GLIBCXX_USE_NOEXCEPT {
  _M_next = __position;
  _M_prev = __position->_M_prev;
  _M_prev->_M_next = this;
  __position->_M_prev = this;
}

inline void _List_node_base::_M_unhook() _GLIBCXX_USE_NOEXCEPT {
  _List_node_base *const __next = _M_next, *const __previous = _M_prev;
  __previous->_M_next = __next;
  __next->_M_prev = __previous;
}

/* Moves [__first, __last), of this list or another, before this node. */
inline void _List_node_base::_M_transfer(_List_node_base* const __first,
                                         _List_node_base* const __last) _GLIBCXX_USE_NOEXCEPT {
  if (this == __last) return;
  _List_node_base *const __end = __last->_M_prev, *const __before = __first->_M_prev;
  __before->_M_next = __last;
  __last->_M_prev = __before;
  __first->_M_prev = _M_prev;
  _M_prev->_M_next = __first;
  __end->_M_next = this;
  _M_prev = __end;
}

inline void _List_node_base::_M_reverse() _GLIBCXX_USE_NOEXCEPT {
  _List_node_base* __node = this;
  do {
    _List_node_base* const __next = __node->_M_next;
    __node->_M_next = __node->_M_prev;
    __node->_M_prev = __next;
    __node = __next;
  } while (__node != this);
}

/* The neighbours of a header are those of the other from now on; an empty list is its own neighbour. */
inline void _List_node_base::swap(_List_node_base& __x, _List_node_base& __y) _GLIBCXX_USE_NOEXCEPT {
  const bool __x_empty = __x._M_next == &__x, __y_empty = __y._M_next == &__y;
  const _List_node_base __x_was = __x, __y_was = __y;
  __x._M_next = __y_empty ? &__x : __y_was._M_next;
  __x._M_prev = __y_empty ? &__x : __y_was._M_prev;
  __y._M_next = __x_empty ? &__y : __x_was._M_next;
  __y._M_prev = __x_empty ? &__y : __x_was._M_prev;
  __x._M_next->_M_prev = __x._M_prev->_M_next = &__x;
  __y._M_next->_M_prev = __y._M_prev->_M_next = &__y;
}

}  // namespace __detail
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
#endif
