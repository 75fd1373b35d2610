#include "factory.hpp"

namespace pendec::io {

const std::vector<Factory<Set>>& set_factories() {
  static const std::vector<Factory<Set>> table = [] {
    std::vector<Factory<Set>> all;
    for (auto* part : {convex_sets, nonconvex_sets, combined_sets})
      for (Factory<Set>& factory : part()) all.push_back(std::move(factory));
    return all;
  }();
  return table;
}

}  // namespace pendec::io
