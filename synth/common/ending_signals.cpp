#include "synth/common/ending_signals.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth {
namespace {

/// Holds a copy of the name, because its owner may be destroyed while a handler reads it.
struct Slot {
  enum State { kFree, kTaken, kNamed };
  std::atomic<int> state = kFree;
  char name[PATH_MAX];
};
constexpr std::size_t kSlots = 32;
Slot slots[kSlots];

/// All signals that end a program by default and can be caught, except SIGXFSZ, which is ignored,
/// and SIGBUS, which guard_mapped_files() handles.
constexpr int kEnding[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGFPE,
                           SIGUSR1, SIGSEGV,   SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT,
                           SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSYS};
/// Signals that other processes send.
constexpr int kSent[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};

std::atomic<bool> by_itself = false;

extern "C" void remove_and_end(int signal) {
  remove_temporary_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void at_exit() {
  remove_temporary_files();
  if (!by_itself) {
    print_error("fpsynth: a library ended the program; {}\n", no_threads_message("see above"));
  }
}

/// Installs a handler if the signal is not ignored. Replaces another handler only if `over_others`.
void install(int signal, void (*handler)(int), bool over_others) {
  struct sigaction before;
  if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
  if (!over_others && before.sa_handler != SIG_DFL) return;  // a sanitizer's handler
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void prepare_ending_signals() {
  for (const int signal : kEnding) install(signal, remove_and_end, false);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) install(signal, remove_and_end, false);
  std::signal(SIGXFSZ, SIG_IGN);
  std::atexit(at_exit);
}

void remove_temporary_files() noexcept {
  for (int (*const remove)(const char*) : {&unlink, &rmdir}) {
    for (const Slot& slot : slots) {
      if (slot.state.load(std::memory_order_acquire) == Slot::kNamed) remove(slot.name);
    }
  }
}

TemporaryName::TemporaryName(const std::string& path) : slot_(kSlots) {
  if (path.size() >= sizeof(Slot::name)) return;  // the system accepts no such path
  for (std::size_t i = 0; i < kSlots && slot_ == kSlots; ++i) {
    int free = Slot::kFree;
    if (slots[i].state.compare_exchange_strong(free, Slot::kTaken)) slot_ = i;
  }
  if (slot_ == kSlots) return;
  std::memcpy(slots[slot_].name, path.c_str(), path.size() + 1);
  slots[slot_].state.store(Slot::kNamed, std::memory_order_release);
}

TemporaryName::~TemporaryName() {
  if (slot_ < kSlots) slots[slot_].state.store(Slot::kFree, std::memory_order_release);
}

SignalsHeld::SignalsHeld() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : kSent) sigaddset(&held, signal);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

SignalsHeld::~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void on_interrupt_call(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    install(signal, handler ? handler : remove_and_end, true);
  }
}

void end_on_next_interrupt() {
  for (const int signal : {SIGINT, SIGTERM}) install(signal, remove_and_end, true);
}

void end_by(int signal) {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  remove_temporary_files();
  std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(signal);
  std::_Exit(128 + signal);  // if the signal does not end the program
}

void ends_by_itself() { by_itself = true; }

}  // namespace fpsynth
