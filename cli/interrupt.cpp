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

std::atomic<int> signals{0};
int pipe_ends[2];  // read, write
struct sigaction old_interrupt, old_terminate;

static_assert(std::atomic<int>::is_always_lock_free, "a handler may use lock-free atomics only");

void write_byte(char byte) {
  while (write(pipe_ends[1], &byte, 1) < 0 && errno == EINTR) {
  }
}

extern "C" void handle(int) {
  const int saved = errno;
  if (signals.fetch_add(1) > 0) _exit(interrupted);
  write_byte(signal_byte);
  errno = saved;
}

char read_byte() {
  char byte = end_byte;
  while (read(pipe_ends[0], &byte, 1) < 0 && errno == EINTR) {
  }
  return byte;
}

}  // namespace

Interrupt::Interrupt() {
  if (pipe(pipe_ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  signals = 0;
  watcher_ = std::thread([this] {
    while (read_byte() == signal_byte) source_.request_stop();
  });
  struct sigaction action {};
  action.sa_handler = handle;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &old_interrupt);
  sigaction(SIGTERM, &action, &old_terminate);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &old_interrupt, nullptr);
  sigaction(SIGTERM, &old_terminate, nullptr);
  write_byte(end_byte);
  watcher_.join();
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace pendec::cli
