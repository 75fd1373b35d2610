// Ctrl-C: while work is under way the first one asks it to stop; else, and the second time, it ends the program.
#pragma once

#include <stop_token>
#include <thread>

namespace pendec::cli {

/// From here on SIGINT and SIGTERM end the program at once with exit code 130, except where one of the classes below
/// says otherwise, or whoever started it had them ignored. SIGXFSZ is ignored: a file that may not grow cannot be
/// written, and that is an error with a name.
void handle_signals();

/// While it lives, work is under way: the first SIGINT or SIGTERM requests the stop of `token`, and a second one ends
/// the program. The handler itself only counts and writes a byte to a pipe, which a thread waits for: nothing else is
/// safe inside a handler. One object at a time; not before files are read, which may be pipes that nobody fills.
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

/// While it lives, and is wanted, signals end the program at once though an Interrupt lives: for what may wait for
/// ever, such as writing to a pipe that nobody reads.
class Impatience {
 public:
  explicit Impatience(bool wanted);
  ~Impatience();
  Impatience(const Impatience&) = delete;
  Impatience& operator=(const Impatience&) = delete;

 private:
  bool before_;
};

}  // namespace pendec::cli
