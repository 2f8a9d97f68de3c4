// SPDX-License-Identifier: Apache-2.0
//
// Arguments and digests that bridge/portable/digest_test.go makes too, number for number: both
// sides compare with digests.txt, so that native and portable results are known to have the same
// bits where no Go program runs, as on an emulated machine.
#pragma once

#include <stdint.h>

#include <bit>
#include <iterator>

namespace tombolo {

inline constexpr int64_t kDigestRows = 4099;

inline constexpr const char* kDomains[] = {"bits",   "unit",   "eight",  "degrees", "angles",
                                           "powers", "metres", "halves", "edges"};

// Vigna's splitmix64.
class Arguments {
 public:
  explicit Arguments(uint64_t seed) : state_(seed) {}

  double next(size_t domain) {
    const uint64_t word = next_word();
    const double unit = static_cast<double>(static_cast<int64_t>(word) >> 10) * 0x1p-53;
    switch (domain) {
      case 0: return std::bit_cast<double>(word);
      case 1: return unit;
      case 2: return unit * 8;
      case 3: return unit * 180;
      case 4: return unit * 0x1.8p20;
      case 5: return unit * 750;
      case 6: return unit * 4e7;
      case 7: return static_cast<double>(static_cast<int64_t>(word) % 721) * 0.5;
      default:
        // A special value, its neighbour above or the one below.
        return std::bit_cast<double>(kEdges[word % std::size(kEdges)] + (word >> 32) % 3 - 1);
    }
  }

 private:
  static constexpr uint64_t kEdges[] = {
      0x0000000000000001, 0x8000000000000001, 0x0010000000000000, 0x3fe0000000000000,
      0x3ff0000000000000, 0xbff0000000000000, 0x4046800000000000, 0xc046800000000000,
      0x4056800000000000, 0xc056800000000000, 0x4066800000000000, 0xc066800000000000,
      0x4076800000000000, 0x41e0000000000000, 0xc1e0000000000000, 0x4130000000000000,
      0x40862e42fefa39ef, 0xc0874910d52d3051, 0x417312d00c2f1b5e, 0x7fefffffffffffff,
      0x7ff0000000000001, 0xfff0000000000001, 0x7ff8000000000000, 0xfff8000000000123,
      0x3fe921fb54442d18, 0x3ff921fb54442d18, 0x400921fb54442d18, 0x3fdc000000000000,
  };

  uint64_t next_word() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

class Digest {
 public:
  void add(double value) { add(std::bit_cast<uint64_t>(value)); }
  void add(uint64_t word) {
    sum_ = (sum_ ^ word) * 0x100000001b3;
    sum_ ^= sum_ >> 32;
  }
  uint64_t sum() const { return sum_; }

 private:
  uint64_t sum_ = 0xcbf29ce484222325;
};

}  // namespace tombolo
