#ifndef SHLO_FRAME_VERSION
#define SHLO_FRAME_VERSION FRAME_VERSION_HERE

#include <stdint.h>

/* What calls return. */
enum {
  SHLO_OK = 0,
  SHLO_CANCELLED = -1, /* somebody has cancelled it */
  SHLO_CUSTOM_CALL = -3, /* the function of a custom call returned a number other than 0 */
  SHLO_NO_MEMORY = -16, /* there is none, or the workspace is too small */
  SHLO_BAD_ADDRESS = -17, /* an argument or result is null, or not aligned to its elements */
  SHLO_ASSERTION = -18 /* an assertion of the program does not hold */
};

static inline const char *shlo_message(int status) {
  switch (status) {
    case SHLO_OK: return "all is well";
    case SHLO_CANCELLED: return "the call was cancelled";
    case SHLO_CUSTOM_CALL: return "the function of a custom call has failed";
    case SHLO_NO_MEMORY: return "there is too little memory for the call";
    case SHLO_BAD_ADDRESS: return "an argument or result is null, or not aligned to its elements";
    case SHLO_ASSERTION: return "an assertion of the program does not hold";
    default: return "no such status";
  }
}

static inline int shlo_is_text(const char *a, const char *b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

/* Whether this machine's processor is one that code for a target runs on. */
static inline int shlo_runs_here(const char *target) {
#if defined(__GNUC__) && defined(__x86_64__)
  const int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (shlo_is_text(target, "avx2")) return avx2;
  if (shlo_is_text(target, "avx512"))
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl");
  return shlo_is_text(target, "baseline") && __builtin_cpu_supports("sse4.2");
#else
  (void)target;
  return 0;
#endif
}

/* Memory and threads of one call at a time; opaque. Each thread that calls has its own.
 *   open(threads): the calling thread is one of them; 0 stands for as many as there are
 *     processors. Null where there is no memory.
 *   workspace(context, memory, bytes): calls use this memory, aligned to 64 bytes, and allocate
 *     none; null and 0 end that.
 *   cancel(context): the call that runs ends soon; from any thread, or a signal handler. */
struct shlo_context;

/* What a value is: "f32", "i64", "bf16", "complex<f32>", ... and its sizes. */
struct shlo_tensor {
  const char *type;
  int64_t rank;
  const int64_t *sizes;
  int64_t bytes;
};

/* Whether an array of a type and sizes is what is wanted. */
static inline int shlo_fits(const struct shlo_tensor *wanted, const char *type, int64_t rank,
    const int64_t *sizes) {
  int64_t d;
  if (!wanted || !shlo_is_text(wanted->type, type) || wanted->rank != rank) return 0;
  for (d = 0; d < rank; ++d)
    if (wanted->sizes[d] != sizes[d]) return 0;
  return 1;
}

/* What the function of a custom call is told: its target, backend_config (text, or JSON of a
 * dictionary), and what its operands and results are. */
struct shlo_custom_call {
  const char *target;
  const char *config;
  int64_t operand_count;
  int64_t result_count;
  const struct shlo_tensor *operands;
  const struct shlo_tensor *results;
};

/* bf16 is the upper half of a float. */
static inline float shlo_bf16_to_float(uint16_t bits) {
  union { uint32_t bits; float number; } one;
  one.bits = (uint32_t)bits << 16;
  return one.number;
}

static inline uint16_t shlo_bf16_from_float(float number) {
  union { uint32_t bits; float number; } one;
  one.number = number;
  if (number != number) return 0x7fc0;
  return (uint16_t)((one.bits + 0x7fff + (one.bits >> 16 & 1)) >> 16); /* to the nearest, even */
}

#elif SHLO_FRAME_VERSION != FRAME_VERSION_HERE
#error "this header is of another version of shlo-compile than the ones before"
#endif
