// A program for trying ThreadSanitizer: it has no races, provided that the sanitizer sees OpenMP's
// barriers.
#include <vector>

int main() {
  std::vector<int> values(1000);
  for (int round = 1; round <= 100; ++round) {
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 1000; ++i) values[i] += i;
    if (values[999] != 999 * round) return 1;
  }
}
