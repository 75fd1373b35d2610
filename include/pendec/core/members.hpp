// Structs that list their members: what writes, reads or shows them goes through the list.
#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>

namespace pendec {

namespace detail {

template <class Owner, class T>
struct Member {
  std::string_view name;
  T Owner::*member;
};
template <class Owner, class T>
constexpr Member<Owner, T> member(std::string_view name, T Owner::*place) {
  return {name, place};
}

template <class T>
concept Listed = requires {
  T::members();
};

/// visit(name, value) for every member that a struct lists.
template <class T, class Visit>
void for_each_member(T& owner, Visit&& visit) {
  std::apply([&](const auto&... m) { (visit(m.name, owner.*(m.member)), ...); }, std::remove_cv_t<T>::members());
}

}  // namespace detail

}  // namespace pendec
