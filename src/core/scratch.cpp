#include "pendec/core/scratch.hpp"

#include <memory>
#include <vector>

namespace pendec {
namespace {

/// Buffers that only grow; the first `used` are taken.
struct Pile {
  std::vector<std::unique_ptr<Vector>> buffers;
  std::size_t used = 0;

  double* take(Index size) {
    if (used == buffers.size()) buffers.push_back(std::make_unique<Vector>());
    Vector& buffer = *buffers[used];
    if (buffer.size() < size) buffer.resize(size);
    ++used;
    return buffer.data();
  }
};

thread_local Pile pile;

}  // namespace

Scratch::Scratch(Index size) : view_(pile.take(size), size) {}

Scratch::~Scratch() { --pile.used; }

}  // namespace pendec
