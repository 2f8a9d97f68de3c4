/* SPDX-License-Identifier: Apache-2.0 */
#include "consumer.h"

#include <pthread.h>
#include <string.h>

enum { CHILDREN_MAX = 16, QUEUE_MAX = 512, THREADS_MAX = 8 };

static uint64_t read_all(const struct ArrowArray* array) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < array->n_buffers; i++) {
    const unsigned char* first = array->buffers[i];
    if (first != NULL && array->length > 0) sum += *first;
  }
  for (int64_t i = 0; i < array->n_children; i++) {
    if (array->children[i]->release != NULL) sum += read_all(array->children[i]);
  }
  if (array->dictionary != NULL && array->dictionary->release != NULL) sum += read_all(array->dictionary);
  return sum;
}

/* Moves a struct as the specification says, and makes the old place useless. */
static void move(struct ArrowArray* from, struct ArrowArray* to) {
  memcpy(to, from, sizeof *to);
  memset(from, 0xA5, sizeof *from);
  from->release = NULL;
}

uint64_t consumer_take(struct ArrowArray* array, int how) {
  struct ArrowArray root, children[CHILDREN_MAX];
  move(array, &root);
  const int64_t count = how == CONSUMER_WHOLE || root.n_children > CHILDREN_MAX ? 0 : root.n_children;
  uint64_t sum = count == 0 ? read_all(&root) : 0;
  for (int64_t i = 0; i < count; i++) {
    move(root.children[i], &children[i]);
  }
  if (how != CONSUMER_CHILDREN_FIRST) root.release(&root);
  for (int64_t i = count - 1; i >= 0; i--) {
    sum += read_all(&children[i]);
    children[i].release(&children[i]);
  }
  if (how == CONSUMER_CHILDREN_FIRST) root.release(&root);
  return sum;
}

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  struct ArrowArray items[QUEUE_MAX];
  int how[QUEUE_MAX];
  int64_t given, taken;
  uint64_t sum;
  int stop, count;
  pthread_t threads[THREADS_MAX];
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void* work(void* unused) {
  (void)unused;
  pthread_mutex_lock(&queue.mutex);
  for (;;) {
    while (queue.given == queue.taken && !queue.stop) pthread_cond_wait(&queue.changed, &queue.mutex);
    if (queue.given == queue.taken) break;
    struct ArrowArray array;
    const int64_t place = queue.taken++ % QUEUE_MAX;
    move(&queue.items[place], &array);
    const int how = queue.how[place];
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.mutex);
    const uint64_t sum = consumer_take(&array, how);
    pthread_mutex_lock(&queue.mutex);
    queue.sum += sum;
  }
  pthread_mutex_unlock(&queue.mutex);
  return NULL;
}

int consumer_start(int threads) {
  queue.stop = 0;
  queue.sum = 0;
  queue.count = 0;
  while (queue.count < threads && queue.count < THREADS_MAX) {
    if (pthread_create(&queue.threads[queue.count], NULL, work, NULL) != 0) return -1;
    queue.count++;
  }
  return 0;
}

void consumer_stop(void) {
  pthread_mutex_lock(&queue.mutex);
  queue.stop = 1;
  pthread_cond_broadcast(&queue.changed);
  pthread_mutex_unlock(&queue.mutex);
  for (int i = 0; i < queue.count; i++) pthread_join(queue.threads[i], NULL);
}

void consumer_give(struct ArrowArray* array, int how) {
  pthread_mutex_lock(&queue.mutex);
  while (queue.given - queue.taken == QUEUE_MAX) pthread_cond_wait(&queue.changed, &queue.mutex);
  const int64_t place = queue.given++ % QUEUE_MAX;
  move(array, &queue.items[place]);
  queue.how[place] = how;
  pthread_cond_broadcast(&queue.changed);
  pthread_mutex_unlock(&queue.mutex);
}

uint64_t consumer_sum(void) {
  pthread_mutex_lock(&queue.mutex);
  const uint64_t sum = queue.sum;
  pthread_mutex_unlock(&queue.mutex);
  return sum;
}
