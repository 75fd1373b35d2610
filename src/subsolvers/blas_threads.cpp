#include "blas_threads.hpp"

#include <dlfcn.h>

namespace pendec::detail {
namespace {

/// Another BLAS has no such function.
struct OpenBlas {
  int (*threads)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  void (*set_threads)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
};

const OpenBlas& open_blas() {
  static const OpenBlas functions;
  return functions;
}

}  // namespace

OneBlasThread::OneBlasThread() {
  const OpenBlas& blas = open_blas();
  if (!blas.threads || !blas.set_threads) return;
  before_ = blas.threads();
  if (before_ > 1) blas.set_threads(1);
}

OneBlasThread::~OneBlasThread() {
  if (before_ > 1) open_blas().set_threads(before_);
}

}  // namespace pendec::detail
