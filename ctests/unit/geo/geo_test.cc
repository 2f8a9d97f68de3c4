// SPDX-License-Identifier: Apache-2.0
//
// The geo operations as loops: any length, any alignment, nulls, and no touch outside their
// columns.
#include "simd/unit.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

#include "geo/geo_ops.h"
#include "simd/dispatch.h"

namespace tombolo {
namespace {

constexpr int64_t kRowsMax = 200;
constexpr double kCanary = -123.25;

// Columns at an odd multiple of 8 bytes, with a canary on both sides.
class Columns {
 public:
  explicit Columns(int64_t count, int64_t rows) : rows_(rows) {
    columns_.assign(static_cast<size_t>(count),
                    std::vector<double>(static_cast<size_t>(rows) + 2, kCanary));
  }
  double* operator[](int64_t i) { return columns_[static_cast<size_t>(i)].data() + 1; }
  bool canaries_live() const {
    for (const auto& column : columns_) {
      if (column.front() != kCanary || column[static_cast<size_t>(rows_) + 1] != kCanary) {
        return false;
      }
    }
    return true;
  }

 private:
  int64_t rows_;
  std::vector<std::vector<double>> columns_;
};

bool bit(const std::vector<uint8_t>& bits, int64_t i) {
  return bits.empty() || (bits[static_cast<size_t>(i / 8)] >> (i % 8) & 1) != 0;
}

using Operation = std::function<void(Columns& in, int64_t n, const uint8_t* valid, Columns& out)>;

std::vector<std::pair<const char*, Operation>> operations(const GeoOps& geo) {
  return {
      {"great_circle",
       [&geo](Columns& in, int64_t n, const uint8_t* valid, Columns& out) {
         geo.great_circle(in[0], in[1], in[2], in[3], n, 6371.0, valid, out[0]);
       }},
      {"mercator_forward",
       [&geo](Columns& in, int64_t n, const uint8_t* valid, Columns& out) {
         geo.mercator_forward(in[1], in[0], n, valid, out[0], out[1]);
       }},
      {"mercator_inverse",
       [&geo](Columns& in, int64_t n, const uint8_t* valid, Columns& out) {
         geo.mercator_inverse(in[1], in[0], n, valid, out[0], out[1]);
       }},
  };
}

class GeoRows : public testing::TestWithParam<int32_t> {
 protected:
  void SetUp() override {
    if (GetParam() > simd_level_max()) GTEST_SKIP() << "the machine lacks the level";
  }
};

// One row at a time at the base level is what any other way must give.
TEST_P(GeoRows, EveryLengthAndNullPattern) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> degrees(-95, 95);
  const auto tried = operations(*dispatch(GetParam()).geo);
  const auto reference = operations(*dispatch(0).geo);
  for (int64_t n = 0; n <= kRowsMax; n = n < 20 ? n + 1 : n + 29) {
    Columns in(4, n);
    for (int64_t c = 0; c < 4; c++) {
      for (int64_t i = 0; i < n; i++) in[c][i] = degrees(random);
    }
    for (int pattern = 0; pattern < 3; pattern++) {
      std::vector<uint8_t> valid;
      if (pattern > 0) valid.resize(static_cast<size_t>(n + 7) / 8);
      for (auto& byte : valid) byte = pattern == 1 ? static_cast<uint8_t>(random()) : 0;
      for (size_t k = 0; k < tried.size(); k++) {
        Columns out(2, n);
        tried[k].second(in, n, valid.empty() ? nullptr : valid.data(), out);
        EXPECT_TRUE(in.canaries_live() && out.canaries_live()) << tried[k].first << " " << n;
        for (int64_t i = 0; i < n; i++) {
          Columns row(4, 1);
          Columns want(2, 1);
          for (int64_t c = 0; c < 4; c++) row[c][0] = in[c][i];
          reference[k].second(row, 1, nullptr, want);
          for (int64_t c = 0; c < (k == 0 ? 1 : 2); c++) {
            const double expected = bit(valid, i) ? want[c][0] : 0.0;
            ASSERT_EQ(std::bit_cast<uint64_t>(out[c][i]), std::bit_cast<uint64_t>(expected))
                << tried[k].first << " rows " << n << " row " << i << " pattern " << pattern;
          }
        }
      }
    }
  }
}

TEST_P(GeoRows, GridCellMarksWhatItCannotHold) {
  const GeoOps& geo = *dispatch(GetParam()).geo;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    double x, y;
    bool kept;
    int32_t column, row;
  };
  const Case cases[] = {
      {0, 0, true, 0, 0},
      {-0.0, -0.0, true, 0, 0},
      {-1e-320, 9.999, true, -1, 0},
      {25, -25, true, 2, -3},
      {10, -10, true, 1, -1},
      {21474836479.99, -21474836480.0, true, 2147483647, -2147483648},
      {21474836480.0, 0, false, 0, 0},
      {0, -21474836480.01, false, 0, 0},
      {1e300, 0, false, 0, 0},
      {kInfinity, 0, false, 0, 0},
      {0, -kInfinity, false, 0, 0},
      {kNan, 1, false, 0, 0},
      {1, kNan, false, 0, 0},
  };
  for (int64_t n = 1; n <= kRowsMax; n += 13) {
    Columns in(2, n);
    for (int64_t i = 0; i < n; i++) {
      in[0][i] = cases[static_cast<size_t>(i) % std::size(cases)].x;
      in[1][i] = cases[static_cast<size_t>(i) % std::size(cases)].y;
    }
    std::vector<uint8_t> valid(static_cast<size_t>(n + 7) / 8, 0xB7);
    std::vector<int64_t> cells(static_cast<size_t>(n));
    std::vector<uint8_t> kept(static_cast<size_t>(n + 63) / 64 * 8, 0xFF);
    const int64_t count =
        geo.grid_cell(in[0], in[1], n, 10, valid.data(), cells.data(), kept.data());
    int64_t expected_count = 0;
    for (int64_t i = 0; i < n; i++) {
      const Case& c = cases[static_cast<size_t>(i) % std::size(cases)];
      const bool expected = c.kept && bit(valid, i);
      expected_count += expected ? 1 : 0;
      ASSERT_EQ(bit(kept, i), expected) << "row " << i;
      const int64_t cell = static_cast<int64_t>(static_cast<uint64_t>(c.column) << 32 |
                                                static_cast<uint32_t>(c.row));
      ASSERT_EQ(cells[static_cast<size_t>(i)], expected ? cell : 0) << "row " << i;
    }
    EXPECT_EQ(count, expected_count);
    for (int64_t i = n; i < static_cast<int64_t>(kept.size()) * 8; i++) {
      ASSERT_FALSE(bit(kept, i)) << "padding bit " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, GeoRows, testing::Values(0, 1, 2));

}  // namespace
}  // namespace tombolo
