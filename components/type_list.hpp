#pragma once
// Lists of types, for the registry.

#include <cstddef>
#include <type_traits>

namespace fpsynth::components {

template <class... Ts>
struct TypeList {
  static constexpr std::size_t size = sizeof...(Ts);
};

template <class List, class T>
struct Append;
template <class... Ts, class T>
struct Append<TypeList<Ts...>, T> {
  static constexpr bool present = (std::is_same_v<Ts, T> || ...);
  using type = std::conditional_t<present, TypeList<Ts...>, TypeList<Ts..., T>>;
};

/// The distinct types of a list, in order of their first appearance.
template <class Out, class... Ts>
struct UniqueOnto {
  using type = Out;
};
template <class Out, class T, class... Rest>
struct UniqueOnto<Out, T, Rest...> : UniqueOnto<typename Append<Out, T>::type, Rest...> {};

/// Number I of a list.
template <std::size_t I, class List>
struct At;
template <class T, class... Ts>
struct At<0, TypeList<T, Ts...>> {
  using type = T;
};
template <std::size_t I, class T, class... Ts>
struct At<I, TypeList<T, Ts...>> : At<I - 1, TypeList<Ts...>> {};

/// Position of T in a list.
template <class List, class T>
struct IndexOf;
template <class... Ts, class T>
struct IndexOf<TypeList<Ts...>, T> {
  static constexpr std::size_t value = [] {
    std::size_t index = 0;
    static_cast<void>(((std::is_same_v<Ts, T> ? true : (++index, false)) || ...));
    return index;
  }();
};

}  // namespace fpsynth::components
