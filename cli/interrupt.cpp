#include "cli/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "cli/command.hpp"

namespace pendec::cli {
namespace {

constexpr char signal_byte = 's', end_byte = 'e';

std::atomic<bool> asks_first{false};  // work is under way that can be asked to stop
std::atomic<int> signals{0};
int pipe_ends[2];  // read, write

static_assert(std::atomic<int>::is_always_lock_free, "a handler may use lock-free atomics only");

void write_byte(char byte) {
  while (write(pipe_ends[1], &byte, 1) < 0 && errno == EINTR) {
  }
}

extern "C" void handle(int) {
  const int saved = errno;
  if (!asks_first || signals.fetch_add(1) > 0) _exit(interrupted);
  write_byte(signal_byte);
  errno = saved;
}

char read_byte() {
  char byte = end_byte;
  while (read(pipe_ends[0], &byte, 1) < 0 && errno == EINTR) {
  }
  return byte;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Most of the first 15 ms of the program go into libraries that make themselves ready: this comes before them.
// (Sanitizers are among them, and want to see every handler.)
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)() = handle_signals;
#endif

/// Who started this program may want it to go on: nohup, and shells that start it in the background.
void handle_unless_ignored(int signal, const struct sigaction& action) {
  struct sigaction inherited {};
  if (sigaction(signal, nullptr, &inherited) != 0 || inherited.sa_handler != SIG_IGN)
    sigaction(signal, &action, nullptr);
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = handle;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  handle_unless_ignored(SIGINT, action);
  handle_unless_ignored(SIGTERM, action);
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
}

Interrupt::Interrupt() {
  if (pipe(pipe_ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  watcher_ = std::thread([this] {
    while (read_byte() == signal_byte) source_.request_stop();
  });
  signals = 0;
  asks_first = true;
}

Interrupt::~Interrupt() {
  asks_first = false;
  write_byte(end_byte);
  watcher_.join();
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

Impatience::Impatience(bool wanted) : before_(asks_first) {
  if (wanted) asks_first = false;
}
Impatience::~Impatience() { asks_first = before_; }

}  // namespace pendec::cli
