// SPDX-License-Identifier: Apache-2.0

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

#if TOMBOLO_LEVEL == 2
// Bound by memory: the loops of the level below do as well, and every level costs a build.
static constexpr const ArithmeticOps& kArithmeticOps = avx2::kArithmeticOps;
#else

inline constexpr size_t kArithmeticBytes = TOMBOLO_LEVEL == 2 ? 64 : TOMBOLO_LEVEL == 1 ? 32 : 16;

// One register of values; integers as unsigned, whose overflow is defined.
template <class T>
struct Lanes {
  typedef T V __attribute__((vector_size(kArithmeticBytes)));
};
template <class T>
using LanesOf = typename Lanes<T>::V;

// Each operation has lanes, which gathers failures in the sign bits of fault, and fails, which says
// whether one row failed.

template <class T>
struct AddWrapping {
  using Value = T;
  static constexpr bool kFails = false;
  TOMBOLO_INLINE LanesOf<T> lanes(LanesOf<T> a, LanesOf<T> b, LanesOf<T>*) { return a + b; }
};

template <class T>
struct SubtractWrapping {
  using Value = T;
  static constexpr bool kFails = false;
  TOMBOLO_INLINE LanesOf<T> lanes(LanesOf<T> a, LanesOf<T> b, LanesOf<T>*) { return a - b; }
};

template <class T>
constexpr bool sign_set(T value) {
  return value > static_cast<T>(static_cast<T>(~T{0}) >> 1);
}

template <class T>
struct AddSigned {
  using Value = T;  // the unsigned type of the same width
  static constexpr bool kFails = true;
  TOMBOLO_INLINE LanesOf<T> lanes(LanesOf<T> a, LanesOf<T> b, LanesOf<T>* fault) {
    const LanesOf<T> sum = a + b;
    *fault |= (a ^ sum) & (b ^ sum);
    return sum;
  }
  TOMBOLO_INLINE bool fails(T a, T b) {
    const T sum = static_cast<T>(a + b);
    return sign_set(static_cast<T>((a ^ sum) & (b ^ sum)));
  }
};

template <class T>
struct SubtractSigned {
  using Value = T;
  static constexpr bool kFails = true;
  TOMBOLO_INLINE LanesOf<T> lanes(LanesOf<T> a, LanesOf<T> b, LanesOf<T>* fault) {
    const LanesOf<T> difference = a - b;
    *fault |= (a ^ b) & (a ^ difference);
    return difference;
  }
  TOMBOLO_INLINE bool fails(T a, T b) {
    const T difference = static_cast<T>(a - b);
    return sign_set(static_cast<T>((a ^ b) & (a ^ difference)));
  }
};

template <class T>
struct AddUnsigned {
  using Value = T;
  static constexpr bool kFails = true;
  TOMBOLO_INLINE LanesOf<T> lanes(LanesOf<T> a, LanesOf<T> b, LanesOf<T>* fault) {
    const LanesOf<T> sum = a + b;
    *fault |= (a & b) | ((a | b) & ~sum);  // the carry out of the highest bit
    return sum;
  }
  TOMBOLO_INLINE bool fails(T a, T b) { return static_cast<T>(a + b) < a; }
};

template <class T>
struct SubtractUnsigned {
  using Value = T;
  static constexpr bool kFails = true;
  TOMBOLO_INLINE LanesOf<T> lanes(LanesOf<T> a, LanesOf<T> b, LanesOf<T>* fault) {
    const LanesOf<T> difference = a - b;
    *fault |= (~a & b) | (~(a ^ b) & difference);  // the borrow of the highest bit
    return difference;
  }
  TOMBOLO_INLINE bool fails(T a, T b) { return a < b; }
};

// Negates by the sign, spread over the value; only the least value stays negative.
template <class T, bool kChecked>
struct AbsSigned {
  using Value = T;
  static constexpr bool kFails = kChecked;
  TOMBOLO_INLINE LanesOf<T> lanes(LanesOf<T> a, LanesOf<T>, LanesOf<T>* fault) {
    using Signed = LanesOf<std::make_signed_t<T>>;
    const auto negative = (LanesOf<T>)((Signed)a < Signed{});
    const LanesOf<T> result = (a ^ negative) - negative;
    if constexpr (kChecked) *fault |= result;
    return result;
  }
  TOMBOLO_INLINE bool fails(T a, T) {
    return a == static_cast<T>(static_cast<T>(~T{0}) ^ (static_cast<T>(~T{0}) >> 1));
  }
};

// Which payload a sum of two NaNs keeps depends on the order that a compiler gave its operands: the
// result is always the same NaN.
template <class T>
TOMBOLO_INLINE LanesOf<T> canonical_nan(LanesOf<T> v) {
  const LanesOf<T> nan = std::numeric_limits<T>::quiet_NaN() - LanesOf<T>{};
  return v != v ? nan : v;
}

template <class T>
struct AddFloat {
  using Value = T;
  static constexpr bool kFails = false;
  TOMBOLO_INLINE LanesOf<T> lanes(LanesOf<T> a, LanesOf<T> b, LanesOf<T>*) {
    return canonical_nan<T>(a + b);
  }
};

template <class T>
struct SubtractFloat {
  using Value = T;
  static constexpr bool kFails = false;
  TOMBOLO_INLINE LanesOf<T> lanes(LanesOf<T> a, LanesOf<T> b, LanesOf<T>*) {
    return canonical_nan<T>(a - b);
  }
};

template <class T>
struct DivideFloat {
  using Value = T;
  static constexpr bool kFails = false;
  TOMBOLO_INLINE LanesOf<T> lanes(LanesOf<T> a, LanesOf<T> b, LanesOf<T>*) {
    return canonical_nan<T>(a / b);
  }
};

// abs of a float clears the sign bit; T is the unsigned type of the float's width.
template <class T>
struct AbsFloat {
  using Value = T;
  static constexpr bool kFails = false;
  TOMBOLO_INLINE LanesOf<T> lanes(LanesOf<T> a, LanesOf<T>, LanesOf<T>*) {
    return a & (static_cast<T>(~T{0}) >> 1);
  }
};

template <class Op>
TOMBOLO_INLINE void compute_word(const typename Op::Value* left, const typename Op::Value* right,
                                 typename Op::Value* out, LanesOf<typename Op::Value>* fault) {
  using V = LanesOf<typename Op::Value>;
  constexpr int kRows = sizeof(V) / sizeof(typename Op::Value);
  for (int i = 0; i < 64; i += kRows) {
    V a;
    V b;
    __builtin_memcpy(&a, left + i, sizeof a);
    __builtin_memcpy(&b, right + i, sizeof b);
    const V result = Op::lanes(a, b, fault);
    __builtin_memcpy(out + i, &result, sizeof result);
  }
}

template <class V>
TOMBOLO_INLINE bool any_sign(V fault, uint64_t signs) {
  uint64_t words[sizeof(V) / 8];
  __builtin_memcpy(words, &fault, sizeof words);
  uint64_t all = 0;
  for (uint64_t word : words) all |= word;
  return (all & signs) != 0;
}

// The sign bit of each value in eight bytes.
template <class T>
constexpr uint64_t sign_bits() {
  return sizeof(T) == 1   ? 0x8080808080808080
         : sizeof(T) == 2 ? 0x8000800080008000
         : sizeof(T) == 4 ? 0x8000000080000000
                          : 0x8000000000000000;
}

template <class Op>
static bool arithmetic(const void* left, const void* right, int64_t right_step,
                       const uint64_t* valid, int64_t rows, void* out) {
  using T = typename Op::Value;
  constexpr int64_t kBlock = 512;  // rows between two looks at what may have failed
  const auto* a = static_cast<const T*>(left);
  const auto* b = static_cast<const T*>(right);
  auto* to = static_cast<T*>(out);
  for (int64_t begin = 0; begin < rows; begin += kBlock) {
    const int64_t end = rows - begin < kBlock ? rows : begin + kBlock;
    LanesOf<T> fault = {};
    for (int64_t i = begin; i < end; i += 64) {
      const T* from[2] = {a + i, right_step == 0 ? b : b + i};
      T tail[3][64];
      T* results = to + i;
      const size_t bytes = static_cast<size_t>(end - i) * sizeof(T);
      const bool part = end - i < 64;
      if (__builtin_expect(part, 0)) {
        for (int side = 0; side < 2; side++) {
          __builtin_memset(tail[side], 0, sizeof tail[side]);
          __builtin_memcpy(tail[side], from[side], bytes);
          from[side] = tail[side];
        }
        results = tail[2];
      }
      compute_word<Op>(from[0], from[1], results, &fault);
      if (__builtin_expect(part, 0)) __builtin_memcpy(to + i, tail[2], bytes);
    }
    if constexpr (Op::kFails) {
      if (__builtin_expect(!any_sign(fault, sign_bits<T>()), 1)) continue;
      for (int64_t row = begin; row < end; row++) {
        if (valid != nullptr && (valid[row / 64] >> (row % 64) & 1) == 0) continue;
        if (Op::fails(a[row], b[right_step == 0 ? 0 : row])) return true;
      }
    }
  }
  return false;
}

constexpr ArithmeticOps kArithmeticOps = {
    .add = {{arithmetic<AddWrapping<uint8_t>>, arithmetic<AddWrapping<uint8_t>>,
             arithmetic<AddWrapping<uint16_t>>, arithmetic<AddWrapping<uint16_t>>,
             arithmetic<AddWrapping<uint32_t>>, arithmetic<AddWrapping<uint32_t>>,
             arithmetic<AddWrapping<uint64_t>>, arithmetic<AddWrapping<uint64_t>>,
             arithmetic<AddFloat<float>>, arithmetic<AddFloat<double>>},
            {arithmetic<AddSigned<uint8_t>>, arithmetic<AddUnsigned<uint8_t>>,
             arithmetic<AddSigned<uint16_t>>, arithmetic<AddUnsigned<uint16_t>>,
             arithmetic<AddSigned<uint32_t>>, arithmetic<AddUnsigned<uint32_t>>,
             arithmetic<AddSigned<uint64_t>>, arithmetic<AddUnsigned<uint64_t>>,
             arithmetic<AddFloat<float>>, arithmetic<AddFloat<double>>}},
    .subtract = {{arithmetic<SubtractWrapping<uint8_t>>, arithmetic<SubtractWrapping<uint8_t>>,
                  arithmetic<SubtractWrapping<uint16_t>>, arithmetic<SubtractWrapping<uint16_t>>,
                  arithmetic<SubtractWrapping<uint32_t>>, arithmetic<SubtractWrapping<uint32_t>>,
                  arithmetic<SubtractWrapping<uint64_t>>, arithmetic<SubtractWrapping<uint64_t>>,
                  arithmetic<SubtractFloat<float>>, arithmetic<SubtractFloat<double>>},
                 {arithmetic<SubtractSigned<uint8_t>>, arithmetic<SubtractUnsigned<uint8_t>>,
                  arithmetic<SubtractSigned<uint16_t>>, arithmetic<SubtractUnsigned<uint16_t>>,
                  arithmetic<SubtractSigned<uint32_t>>, arithmetic<SubtractUnsigned<uint32_t>>,
                  arithmetic<SubtractSigned<uint64_t>>, arithmetic<SubtractUnsigned<uint64_t>>,
                  arithmetic<SubtractFloat<float>>, arithmetic<SubtractFloat<double>>}},
    .divide = {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
               arithmetic<DivideFloat<float>>, arithmetic<DivideFloat<double>>},
    .abs = {{arithmetic<AbsSigned<uint8_t, false>>, nullptr, arithmetic<AbsSigned<uint16_t, false>>,
             nullptr, arithmetic<AbsSigned<uint32_t, false>>, nullptr,
             arithmetic<AbsSigned<uint64_t, false>>, nullptr, arithmetic<AbsFloat<uint32_t>>,
             arithmetic<AbsFloat<uint64_t>>},
            {arithmetic<AbsSigned<uint8_t, true>>, nullptr, arithmetic<AbsSigned<uint16_t, true>>,
             nullptr, arithmetic<AbsSigned<uint32_t, true>>, nullptr,
             arithmetic<AbsSigned<uint64_t, true>>, nullptr, arithmetic<AbsFloat<uint32_t>>,
             arithmetic<AbsFloat<uint64_t>>}},
};
#endif

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
