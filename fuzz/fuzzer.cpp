// libFuzzer calls this; PENDEC_READER is the name of the reader, one program each.
#include <cstddef>
#include <cstdint>

#include "fuzz/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pendec::fuzz::PENDEC_READER({reinterpret_cast<const char*>(data), size});
  return 0;
}
