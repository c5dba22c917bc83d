#include "synth/common/mapped_file.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>

#include "synth/common/ending_signals.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth {

/// An element of a list that only grows. Regions of destroyed mappings (begin 0) are reused.
struct MappedRegion {
  std::atomic<std::uintptr_t> begin = 0, end = 0;
  std::atomic<bool> lost = false;  ///< bytes could not be read, and no error was reported yet
  std::atomic<bool> used = true;
  MappedRegion* next = nullptr;
};

namespace {

std::atomic<MappedRegion*> regions = nullptr;

std::mutex unnoticed_mutex;
std::string unnoticed;  ///< the name of a file that lost bytes

MappedRegion* register_region(std::span<const std::byte> bytes) {
  MappedRegion* region = regions.load();
  for (; region; region = region->next) {
    bool used = false;
    if (region->used.compare_exchange_strong(used, true)) break;
  }
  if (!region) {
    region = new MappedRegion;
    region->next = regions.load();
    while (!regions.compare_exchange_weak(region->next, region)) {
    }
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  region->lost = false;
  region->end = begin + bytes.size();
  region->begin = begin;
  return region;
}

/// Maps zeros from the page of an address to the end of its region. Returns false if the address is
/// in no region.
bool replace_lost_bytes(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (MappedRegion* region = regions.load(); region; region = region->next) {
    const std::uintptr_t begin = region->begin, end = region->end;
    // The region of a faulting address is in use, so it does not change during this function.
    if (begin == 0 || at < begin || at >= end || region->begin != begin) continue;
    const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t page = at / page_bytes * page_bytes;
    void* const zeros = mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    region->lost = true;
    return zeros != MAP_FAILED;
  }
  return false;
}

extern "C" void on_bus_error(int signal, siginfo_t* info, void*) {
  const int error = errno;
  const bool a_fault = info->si_code > 0;
  if (a_fault && replace_lost_bytes(info->si_addr)) {
    errno = error;
    return;
  }
  remove_temporary_files();
  std::signal(signal, SIG_DFL);
  if (!a_fault) std::raise(signal);  // sent by a process; a fault would repeat itself
}

}  // namespace

void guard_mapped_files() {
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

MappedFile::MappedFile(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {
  int error = fstat(descriptor, &opened_) == 0 ? 0 : errno;
  const auto size = static_cast<std::size_t>(opened_.st_size);
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  if (error != 0) {
    close(descriptor);
    raise("cannot map {}: {}", name_, reason_and_advice(error, "copy it to a local file"));
  }
  bytes_ = {static_cast<const std::byte*>(memory), size};
  region_ = register_region(bytes_);
}

MappedFile::~MappedFile() {
  region_->begin = 0;
  if (region_->lost) {
    const std::lock_guard lock(unnoticed_mutex);
    unnoticed = name_;
  }
  region_->used = false;
  munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  close(descriptor_);
}

bool release_mapped(std::span<const std::byte> bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()), end = begin + bytes.size();
  for (const MappedRegion* region = regions.load(); region; region = region->next) {
    const std::uintptr_t first = region->begin;
    if (first == 0 || begin < first || end > region->end) continue;
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t whole = (begin + page - 1) / page * page;
    if (end > whole)
      madvise(reinterpret_cast<void*>(whole), (end - whole) / page * page, MADV_DONTNEED);
    return true;
  }
  return false;
}

void MappedFile::check_unchanged() const {
  struct stat now;
  const bool known = fstat(descriptor_, &now) == 0;
  const bool lost = region_->lost.exchange(false);
  if (known && now.st_size < opened_.st_size) {
    raise(
        "{} became shorter while it was read: {} bytes instead of {}; let nothing write to it, and "
        "try again",
        name_, now.st_size, opened_.st_size);
  }
  if (!known || now.st_size != opened_.st_size || now.st_mtim.tv_sec != opened_.st_mtim.tv_sec ||
      now.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec) {
    raise("{} changed while it was read; let nothing write to it, and try again", name_);
  }
  if (lost) {
    raise("cannot read {}: bytes of it were lost; check its disk, and copy it elsewhere", name_);
  }
}

std::string MappedFile::version() const {
  return fmt::format("{}:{}:{}:{}.{:09}", opened_.st_dev, opened_.st_ino, opened_.st_size,
                     opened_.st_mtim.tv_sec, opened_.st_mtim.tv_nsec);
}

void refuse_unnoticed_losses() {
  const std::lock_guard lock(unnoticed_mutex);
  if (unnoticed.empty()) return;
  raise(
      "{} became shorter, or could not be read, while it was read: what was made of it is wrong; "
      "let nothing write to it, and try again",
      unnoticed);
}

}  // namespace fpsynth
