/* Several threads, a heartbeat each, at once: each decides what one alone decides, as the header promises. Functions
   without state are called by all of them meanwhile. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leasebeat.h"

/* What a complete answer has. */
#define PROVED \
    (LEASEBEAT_EVENT_HAS_RTT_NS | LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS | LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS)

enum { THREADS = 8, STEPS = 20000 };

struct worker {
    uint64_t seed;
    uint64_t digest;
};

static void must(leasebeat_status_t status, const char *what)
{
    if (status != LEASEBEAT_OK) {
        fprintf(stderr, "%s: status %d\n", what, (int)status);
        exit(1);
    }
}

static uint64_t mixed(uint64_t digest, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        digest = (digest ^ byte[i]) * UINT64_C(1099511628211);
    return digest;
}

/* A life of beats, lost answers and refusals, drawn from the seed; what was decided, as one number. */
static uint64_t lived(uint64_t seed)
{
    leasebeat_heartbeat_t heartbeat;
    leasebeat_config_t config;
    leasebeat_decision_t decision;
    uint64_t now_ns = seed * 1000, digest = UINT64_C(14695981039346656037), state = seed;
    must(leasebeat_config_init(&config, sizeof config, 60000), "config");
    config.request_timeout_ms = 10000;
    config.present |= LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS;
    must(leasebeat_init(&heartbeat, sizeof heartbeat, &config), "init");
    leasebeat_event_t event;
    memset(&event, 0, sizeof event);
    event.kind = LEASEBEAT_EVENT_CREATED;
    event.present = PROVED;
    event.rtt_ns = 20000000;
    event.remaining_ttl_ms = 60000;
    must(leasebeat_handle(&heartbeat, &event, now_ns, &decision), "created");
    for (int step = 0; step < STEPS; step++) {
        digest = mixed(digest, &decision, sizeof decision);
        if (decision.action == LEASEBEAT_ACTION_STOP) {
            must(leasebeat_init(&heartbeat, sizeof heartbeat, &config), "init again");
            event.kind = LEASEBEAT_EVENT_CREATED;
            event.failure = 0;
            event.present = PROVED;
            must(leasebeat_handle(&heartbeat, &event, now_ns, &decision), "created again");
        } else if (decision.action == LEASEBEAT_ACTION_WAIT) {
            now_ns += decision.wait_ms * 1000000;
            must(leasebeat_tick(&heartbeat, now_ns, &decision), "tick");
        } else {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            now_ns += event.rtt_ns;
            event.expires_at_ms = now_ns / 1000000 + event.remaining_ttl_ms;
            int lost = (state >> 61) == 0;
            event.kind = lost ? LEASEBEAT_EVENT_FAILED : LEASEBEAT_EVENT_EXTENDED;
            event.failure = lost ? LEASEBEAT_FAILURE_CONNECTION : 0;
            event.present = lost ? 0 : PROVED;
            must(leasebeat_handle(&heartbeat, &event, now_ns, &decision), "handle");
        }
        const char *name = leasebeat_rule_name(decision.rule);
        digest = mixed(digest, name, strlen(name));
    }
    return digest;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    worker->digest = lived(worker->seed);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i].seed = (uint64_t)i + 1;
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        if (pthread_join(threads[i], NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++) {
        if (workers[i].digest != lived(workers[i].seed)) {
            fprintf(stderr, "thread %d decided otherwise than one alone\n", i);
            return 1;
        }
        if (i > 0 && workers[i].digest == workers[0].digest) {
            fprintf(stderr, "the digest does not tell lives apart\n");
            return 1;
        }
    }
    printf("%d threads, %d steps each: as alone\n", (int)THREADS, (int)STEPS);
    return 0;
}
