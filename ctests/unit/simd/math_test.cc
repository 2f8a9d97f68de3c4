// SPDX-License-Identifier: Apache-2.0
//
// Elementary functions and geo kernels at every level that the machine has: each has the same bits
// as the portable twin, for ordinary arguments, huge ones, subnormals, NaNs and infinities.
#include "simd/level.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "geo/geo_ops.h"
#include "simd/coefficients.h"
#include "simd/dispatch.h"

namespace tombolo {
inline namespace v0 {
struct MathFunction {
  const char* name;
  void (*rows)(const double* a, const double* b, int64_t n, double* out);
};
}  // namespace v0
}  // namespace tombolo

#define TOMBOLO_LEVEL 0
#define TOMBOLO_LEVEL_NS base
#include "math_level-inl.h"
#undef TOMBOLO_LEVEL_NS
#undef TOMBOLO_LEVEL
#if defined(__x86_64__)
#define TOMBOLO_LEVEL 1
#define TOMBOLO_LEVEL_NS avx2
#include "math_level-inl.h"
#undef TOMBOLO_LEVEL_NS
#undef TOMBOLO_LEVEL
#define TOMBOLO_LEVEL 2
#define TOMBOLO_LEVEL_NS avx512
#include "math_level-inl.h"
#undef TOMBOLO_LEVEL_NS
#undef TOMBOLO_LEVEL
#endif

namespace tombolo {
namespace {

// Function and domain to digest, from the file that the Go test writes.
std::map<std::pair<std::string, std::string>, uint64_t> read_digests() {
  std::string path = __FILE__;
  path.resize(path.rfind('/') + 1);
  std::ifstream file(path + "digests.txt");
  std::map<std::pair<std::string, std::string>, uint64_t> digests;
  std::string function;
  std::string domain;
  uint64_t digest = 0;
  while (file >> function >> domain >> std::hex >> digest) digests[{function, domain}] = digest;
  return digests;
}

class EveryLevel : public testing::TestWithParam<int32_t> {
 protected:
  void SetUp() override {
    if (GetParam() > simd_level_max()) GTEST_SKIP() << "the machine lacks the level";
  }

  static const MathFunction* functions() {
#if defined(__x86_64__)
    if (GetParam() == 2) return avx512::kMathFunctions;
    if (GetParam() == 1) return avx2::kMathFunctions;
#endif
    return base::kMathFunctions;
  }
};

// Columns of arguments, drawn row by row, with room for whole vectors.
std::vector<std::vector<double>> draw(size_t domain, size_t columns) {
  Arguments arguments(domain);
  std::vector<std::vector<double>> drawn(columns, std::vector<double>(kDigestRows + 8));
  for (int64_t i = 0; i < kDigestRows; i++) {
    for (auto& column : drawn) column[static_cast<size_t>(i)] = arguments.next(domain);
  }
  return drawn;
}

TEST_P(EveryLevel, FunctionsHaveTheBitsOfThePortableTwin) {
  const auto digests = read_digests();
  ASSERT_FALSE(digests.empty());
  for (size_t domain = 0; domain < std::size(kDomains); domain++) {
    const auto in = draw(domain, 2);
    for (size_t f = 0; f < std::size(base::kMathFunctions); f++) {
      std::vector<double> out(kDigestRows + 8);
      functions()[f].rows(in[0].data(), in[1].data(), kDigestRows, out.data());
      Digest digest;
      for (int64_t i = 0; i < kDigestRows; i++) digest.add(out[static_cast<size_t>(i)]);
      const auto want = digests.find({functions()[f].name, kDomains[domain]});
      ASSERT_NE(want, digests.end());
      EXPECT_EQ(digest.sum(), want->second) << functions()[f].name << " " << kDomains[domain];
    }
  }
}

TEST_P(EveryLevel, GeoKernelsHaveTheBitsOfThePortableTwin) {
  const auto digests = read_digests();
  const GeoOps& geo = *dispatch(GetParam()).geo;
  for (size_t domain = 0; domain < std::size(kDomains); domain++) {
    const auto in = draw(domain, 4);
    std::vector<double> first(kDigestRows);
    std::vector<double> second(kDigestRows);
    std::vector<int64_t> cells(kDigestRows);
    std::vector<uint8_t> kept((kDigestRows + 63) / 64 * 8);
    const auto check = [&](const char* name, const std::vector<double>* more) {
      Digest digest;
      for (size_t i = 0; i < first.size(); i++) {
        digest.add(first[i]);
        if (more != nullptr) digest.add((*more)[i]);
      }
      const auto want = digests.find({name, kDomains[domain]});
      ASSERT_NE(want, digests.end());
      EXPECT_EQ(digest.sum(), want->second) << name << " " << kDomains[domain];
    };
    geo.great_circle(in[0].data(), in[1].data(), in[2].data(), in[3].data(), kDigestRows, 3958.7613,
                     nullptr, first.data());
    check("great_circle", nullptr);
    geo.mercator_forward(in[0].data(), in[1].data(), kDigestRows, nullptr, first.data(),
                         second.data());
    check("mercator_forward", &second);
    geo.mercator_inverse(in[0].data(), in[1].data(), kDigestRows, nullptr, first.data(),
                         second.data());
    check("mercator_inverse", &second);
    geo.grid_cell(in[0].data(), in[1].data(), kDigestRows, 1e5, nullptr, cells.data(), kept.data());
    for (size_t i = 0; i < cells.size(); i++) {
      first[i] = std::bit_cast<double>(cells[i]);
      second[i] = kept[i / 8] >> (i % 8) & 1;
    }
    check("grid_cell", &second);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, EveryLevel, testing::Values(0, 1, 2));

}  // namespace
}  // namespace tombolo
