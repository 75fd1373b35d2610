// One thread for the BLAS: on the small matrices inside sparse factorisations more of them wait for each other.
#pragma once

namespace pendec::detail {

/// While one of these lives, OpenBLAS, where it is the BLAS, works on one thread; for the whole process.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_ = 0;
};

}  // namespace pendec::detail
