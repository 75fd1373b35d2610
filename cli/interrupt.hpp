// Ctrl-C: the first one asks the work to stop, the second ends the program.
#pragma once

#include <stop_token>
#include <thread>

namespace pendec::cli {

/// While it lives, the first SIGINT or SIGTERM requests the stop of `token`, and a second one ends the program at
/// once with exit code 130. The handler itself only counts and writes a byte to a pipe, which a thread waits for:
/// nothing else is safe inside a handler. One object at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  bool requested() const { return source_.stop_requested(); }

 private:
  std::stop_source source_;
  std::thread watcher_;
};

}  // namespace pendec::cli
