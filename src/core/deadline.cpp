#include "pendec/core/deadline.hpp"

#include <algorithm>
#include <utility>

namespace pendec {

Deadline::Deadline(double seconds, std::stop_token token) : limit_(seconds), token_(std::move(token)) {}

double Deadline::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

double Deadline::left() const { return std::max(limit_ - seconds(), 0.0); }

void Deadline::check(double next) const {
  over_ = passed() || next > left();
  if (over_) throw OutOfTime();
}

Deadline Deadline::share(Index count) const { return Deadline(left() / static_cast<double>(count), token_); }

namespace {
thread_local const Deadline* scope = nullptr;
}

DeadlineScope::DeadlineScope(const Deadline& deadline) : outer_(std::exchange(scope, &deadline)) {}

DeadlineScope::~DeadlineScope() { scope = outer_; }

bool DeadlineScope::passed() { return scope && scope->passed(); }

void DeadlineScope::check() {
  if (passed()) throw OutOfTime();
}

}  // namespace pendec
