#ifndef FPSYNTH_H
#define FPSYNTH_H
/* Lossless compression in memory, in C: of floating-point numbers and integers, to the containers
 * that `fpsynth compress` writes and `fpsynth decompress` reads.
 *
 * Libraries. pkg-config fpsynth-codec: all functions but fpsynth_best_method(), and every method
 * but "auto"; it needs xxHash. pkg-config fpsynth: all functions, and "auto".
 *
 * Threads. Any number of threads may call all functions at once. Nothing is kept between calls but
 * the text of fpsynth_error(), for each thread its own. A call starts the threads that its options
 * ask for, and ends them; it gives the same bytes with any number of them.
 *
 * Memory. All buffers are the caller's; they may be at any address, and must not overlap. A buffer
 * of 0 bytes may be NULL. Without a prelude in the method, calls use little memory besides; with
 * one, or to find one, up to three times the values.
 *
 * Errors. Functions return an fpsynth_status. What they were to write is then to be ignored. No C++
 * exception leaves them. All sizes are in bytes.
 */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fpsynth_status {
  FPSYNTH_OK = 0,
  FPSYNTH_FAILED = 1,    /* a damaged container, an output that is too small, no memory, ... */
  FPSYNTH_WRONG_CALL = 2 /* no such method, type or effort; a shape of other values; NULL */
} fpsynth_status;

/* Types of values, in the machine's byte order. The numbers stay; later versions may add some. */
typedef enum fpsynth_type {
  FPSYNTH_FLOAT64 = 1,
  FPSYNTH_FLOAT32 = 2,
  FPSYNTH_INT64 = 3,
  FPSYNTH_INT32 = 4,
  FPSYNTH_UINT64 = 5,
  FPSYNTH_UINT32 = 6,
  FPSYNTH_FLOAT16 = 7,
  FPSYNTH_BFLOAT16 = 8,
  FPSYNTH_INT16 = 9,
  FPSYNTH_UINT16 = 10,
  FPSYNTH_INT8 = 11,
  FPSYNTH_UINT8 = 12
} fpsynth_type;

/* The most extents of a shape, and bytes that are enough for the text of every method. */
#define FPSYNTH_MOST_RANK 64
#define FPSYNTH_METHOD_BYTES 2048

/* The values to compress. The container keeps a shape, and of integers and bfloat16 their type; of
 * other floats without a shape, only the size. Without a shape, bytes behind the last whole value
 * are kept as they are. */
typedef struct fpsynth_values {
  const void* data;
  size_t bytes;
  fpsynth_type type;
  const size_t* shape; /* extents, the slowest first, of all values and no more */
  size_t rank;         /* how many extents; 0: no shape */
} fpsynth_values;

/* How to compress. Zeros are the defaults, as is NULL in place of the options. */
typedef struct fpsynth_options {
  int threads; /* 0: one for each processor that the process may use */
  /* Values in a chunk: 1024, 2048, 4096, 16384 or 65536; 0: 1024, with "auto" the best. */
  size_t chunk_words;
  const char* effort; /* of "auto": "quick" (seconds), "normal" (the default) or "thorough" */
} fpsynth_options;

/* The most bytes that fpsynth_compress() writes for these arguments, whatever the values are, which
 * are not read: values->data may be NULL. 0 for an error. */
size_t fpsynth_bound(const fpsynth_values* values, const char* method,
                     const fpsynth_options* options);

/* Compresses values to a container in out[0..capacity), and sets *written (unless NULL) to its
 * size. If the capacity, which may be less than the bound, is too small, returns FPSYNTH_FAILED and
 * sets *written to the bytes that are needed. `method`: a pipeline such as "LNV2s LNV2s LNV2x |
 * ZE", one behind a prelude such as "LAGx:18200 / LNV1s ZE", or "auto": what fpsynth_best_method()
 * finds, or several of them where parts of the values differ and the effort is not quick. */
int fpsynth_compress(const fpsynth_values* values, const char* method,
                     const fpsynth_options* options, void* out, size_t capacity, size_t* written);

/* Searches the method that makes the smallest container, as `fpsynth compress auto` does; it has
 * been tried on all values, of which there must be one. Writes its text with a 0 behind it to
 * method[0..capacity), and the length of chunks that goes with it to *chunk_words (unless NULL). */
int fpsynth_best_method(const fpsynth_values* values, const fpsynth_options* options, char* method,
                        size_t capacity, size_t* chunk_words);

/* What a container holds. One that does not say it, as of floats without a shape, is taken for
 * floats of its size in one extent. */
typedef struct fpsynth_info {
  size_t original_bytes;
  fpsynth_type type;
  int fortran_order; /* 1: the first extent is the fastest, as `fpsynth compress` keeps it */
  size_t rank;       /* 0: one value */
  size_t shape[FPSYNTH_MOST_RANK];
} fpsynth_info;

/* Reads it from the structure of container[0..bytes), which may hold anything, without decoding. */
int fpsynth_inspect(const void* container, size_t bytes, fpsynth_info* info);

/* Restores the values of container[0..bytes), which may hold anything, to out[0..capacity), on so
 * many threads (0: as above), and sets *written (unless NULL) to their bytes. FPSYNTH_OK means that
 * they have the checksum of what was compressed. If the capacity is too small, returns
 * FPSYNTH_FAILED and sets *written to the bytes that are needed. */
int fpsynth_decompress(const void* container, size_t bytes, int threads, void* out, size_t capacity,
                       size_t* written);

/* What was wrong in the last call of this thread that failed, and the way out; "" if none has. It
 * stays until the thread's next call that fails. */
const char* fpsynth_error(void);

#ifdef __cplusplus
}
#endif
#endif
