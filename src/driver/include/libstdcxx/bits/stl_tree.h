/* In front of libstdc++'s header of the same name: the functions on nodes of maps and sets, which the library keeps
 * compiled, as inline functions of the user's code, where their accesses are instrumented. Readers of a map race with
 * exactly these.
 *
 * The links are the library's: the header is a red node whose parent is the root, and whose left and right are the first
 * and the last node; the root's parent is the header. Code of libraries may use its own functions on the same trees. */
#pragma GCC system_header
#include_next <bits/stl_tree.h>
#ifndef ANAPHORA_STL_TREE_H
#define ANAPHORA_STL_TREE_H 1

namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION

inline _Rb_tree_node_base* _Rb_tree_increment(_Rb_tree_node_base* __x) _GLIBCXX_USE_NOEXCEPT {
  if (__x->_M_right) return _Rb_tree_node_base::_S_minimum(__x->_M_right);
  _Rb_tree_node_base* __above = __x->_M_parent;
  while (__above->_M_right == __x) {
    __x = __above;
    __above = __above->_M_parent;
  }
  // From the last node of a tree whose root has nothing to its right the way up ends at the header already.
  return __x->_M_right == __above ? __x : __above;
}

inline const _Rb_tree_node_base* _Rb_tree_increment(const _Rb_tree_node_base* __x) _GLIBCXX_USE_NOEXCEPT {
  return _Rb_tree_increment(const_cast<_Rb_tree_node_base*>(__x));
}

inline _Rb_tree_node_base* _Rb_tree_decrement(_Rb_tree_node_base* __x) _GLIBCXX_USE_NOEXCEPT {
  // Of the header and the root each is the other's parent, but only the header is red.
  if (__x->_M_color == _S_red && __x->_M_parent->_M_parent == __x) return __x->_M_right;
  if (__x->_M_left) return _Rb_tree_node_base::_S_maximum(__x->_M_left);
  _Rb_tree_node_base* __above = __x->_M_parent;
  while (__above->_M_left == __x) {
    __x = __above;
    __above = __above->_M_parent;
  }
  return __above;
}

inline const _Rb_tree_node_base* _Rb_tree_decrement(const _Rb_tree_node_base* __x) _GLIBCXX_USE_NOEXCEPT {
  return _Rb_tree_decrement(const_cast<_Rb_tree_node_base*>(__x));
}

/* Lets `__now` hang where `__old` hangs below its parent. */
inline void __ana_tree_replace(_Rb_tree_node_base* __old, _Rb_tree_node_base* __now, _Rb_tree_node_base& __header) {
  _Rb_tree_node_base* const __parent = __old->_M_parent;
  if (__header._M_parent == __old)
    __header._M_parent = __now;
  else if (__parent->_M_left == __old)
    __parent->_M_left = __now;
  else
    __parent->_M_right = __now;
}

/* `__x` goes down to the left (or, of the mirrored tree, to the right), its other child comes up. */
inline void __ana_tree_rotate(_Rb_tree_node_base* __x, bool __to_left, _Rb_tree_node_base& __header) {
  _Rb_tree_node_base* const __up = __to_left ? __x->_M_right : __x->_M_left;
  _Rb_tree_node_base* const __inner = __to_left ? __up->_M_left : __up->_M_right;
  (__to_left ? __x->_M_right : __x->_M_left) = __inner;
  if (__inner) __inner->_M_parent = __x;
  __ana_tree_replace(__x, __up, __header);
  __up->_M_parent = __x->_M_parent;
  (__to_left ? __up->_M_left : __up->_M_right) = __x;
  __x->_M_parent = __up;
}

inline void _Rb_tree_insert_and_rebalance(const bool __insert_left, _Rb_tree_node_base* __x, _Rb_tree_node_base* __parent,
                                          _Rb_tree_node_base& __header) _GLIBCXX_USE_NOEXCEPT {
  __x->_M_parent = __parent;
  __x->_M_left = __x->_M_right = 0;
  __x->_M_color = _S_red;
  if (__insert_left) {
    __parent->_M_left = __x;  // of the header, if the tree was empty: the first node
    if (__parent == &__header) {
      __header._M_parent = __header._M_right = __x;
    } else if (__parent == __header._M_left) {
      __header._M_left = __x;
    }
  } else {
    __parent->_M_right = __x;
    if (__parent == __header._M_right) __header._M_right = __x;
  }
  while (__x != __header._M_parent && __x->_M_parent->_M_color == _S_red) {
    _Rb_tree_node_base* __above = __x->_M_parent;
    _Rb_tree_node_base* const __top = __above->_M_parent;  // exists: a red node is never the root
    const bool __on_left = __above == __top->_M_left;
    _Rb_tree_node_base* const __other = __on_left ? __top->_M_right : __top->_M_left;
    if (__other && __other->_M_color == _S_red) {
      __above->_M_color = __other->_M_color = _S_black;
      __top->_M_color = _S_red;
      __x = __top;
      continue;
    }
    if (__x == (__on_left ? __above->_M_right : __above->_M_left)) {
      __ana_tree_rotate(__above, __on_left, __header);
      __above = __x;
    }
    __above->_M_color = _S_black;
    __top->_M_color = _S_red;
    __ana_tree_rotate(__top, !__on_left, __header);
    break;
  }
  __header._M_parent->_M_color = _S_black;
}

/* Below `__parent`, where `__x` (maybe null) is, a black node is missing. */
inline void __ana_tree_add_black(_Rb_tree_node_base* __x, _Rb_tree_node_base* __parent, _Rb_tree_node_base& __header) {
  while (__x != __header._M_parent && (!__x || __x->_M_color == _S_black)) {
    const bool __on_left = __x == __parent->_M_left;
    _Rb_tree_node_base* __other = __on_left ? __parent->_M_right : __parent->_M_left;
    if (__other->_M_color == _S_red) {
      __other->_M_color = _S_black;
      __parent->_M_color = _S_red;
      __ana_tree_rotate(__parent, __on_left, __header);
      __other = __on_left ? __parent->_M_right : __parent->_M_left;
    }
    _Rb_tree_node_base* const __near = __on_left ? __other->_M_left : __other->_M_right;
    _Rb_tree_node_base* __far = __on_left ? __other->_M_right : __other->_M_left;
    const bool __near_red = __near && __near->_M_color == _S_red;
    if (!__near_red && !(__far && __far->_M_color == _S_red)) {
      __other->_M_color = _S_red;
      __x = __parent;
      __parent = __parent->_M_parent;
      continue;
    }
    if (!(__far && __far->_M_color == _S_red)) {
      __near->_M_color = _S_black;
      __other->_M_color = _S_red;
      __ana_tree_rotate(__other, !__on_left, __header);
      __far = __other;
      __other = __near;
    }
    __other->_M_color = __parent->_M_color;
    __parent->_M_color = __far->_M_color = _S_black;
    __ana_tree_rotate(__parent, __on_left, __header);
    break;
  }
  if (__x) __x->_M_color = _S_black;
}

inline _Rb_tree_node_base* _Rb_tree_rebalance_for_erase(_Rb_tree_node_base* const __z,
                                                        _Rb_tree_node_base& __header) _GLIBCXX_USE_NOEXCEPT {
  _Rb_tree_node_base *__child, *__parent;  // what comes to the place that loses a node, and who is above it
  _Rb_tree_color __lost = __z->_M_color;
  if (__z->_M_left && __z->_M_right) {
    _Rb_tree_node_base* const __next = _Rb_tree_node_base::_S_minimum(__z->_M_right);
    __lost = __next->_M_color;
    __child = __next->_M_right;
    __parent = __next;
    if (__next != __z->_M_right) {
      __parent = __next->_M_parent;
      __parent->_M_left = __child;
      if (__child) __child->_M_parent = __parent;
      __next->_M_right = __z->_M_right;
      __z->_M_right->_M_parent = __next;
    }
    __next->_M_left = __z->_M_left;
    __z->_M_left->_M_parent = __next;
    __ana_tree_replace(__z, __next, __header);
    __next->_M_parent = __z->_M_parent;
    __next->_M_color = __z->_M_color;
    __z->_M_color = __lost;  // as the library leaves it
  } else {
    __child = __z->_M_left ? __z->_M_left : __z->_M_right;
    __parent = __z->_M_parent;
    if (__child) __child->_M_parent = __parent;
    __ana_tree_replace(__z, __child, __header);
    if (__header._M_left == __z)
      __header._M_left = __child ? _Rb_tree_node_base::_S_minimum(__child) : __parent;
    if (__header._M_right == __z)
      __header._M_right = __child ? _Rb_tree_node_base::_S_maximum(__child) : __parent;
  }
  if (__lost == _S_black) __ana_tree_add_black(__child, __parent, __header);
  return __z;
}

_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
#endif
