// SPDX-License-Identifier: Apache-2.0
//
// spinlock.h: a lock for critical sections of a few instructions.
#pragma once

#include "simd/unit.h"

#include <sched.h>

namespace tombolo {
inline namespace v0 {

// Excludes threads for a moment. The holder must not call out, allocate or fault: a waiter spins a
// little, then gives up its time slice, since the holder may have been taken off its core.
class SpinLock {
 public:
  void lock() noexcept {
    while (held_.exchange(1, std::memory_order_acquire) != 0) {
      for (int32_t spin = 0; held_.load(std::memory_order_relaxed) != 0; ++spin) {
        if (spin >= kSpinsMax) {
          sched_yield();
          spin = 0;
        }
      }
    }
  }

  void unlock() noexcept { held_.store(0, std::memory_order_release); }

 private:
  static constexpr int32_t kSpinsMax = 64;

  std::atomic<uint32_t> held_{0};
};

// Holds a SpinLock for a scope.
class SpinGuard {
 public:
  explicit SpinGuard(SpinLock* lock) noexcept : lock_(lock) { lock_->lock(); }
  ~SpinGuard() { lock_->unlock(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLock* lock_;
};

}  // namespace v0
}  // namespace tombolo
