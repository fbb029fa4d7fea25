/* What a call costs from C, beside one that does nothing: an object of JSON a line. 64 heartbeats, a beat and its answer in
 * turn, many short runs: the median counts, so that other work on the machine moves a figure little. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <leasebeat.h>

#define HEARTBEATS 64
#define WARM_UP 2000
#define RUNS 20001
#define SECOND UINT64_C(1000000000)

enum { NOOP, EARLY, DUE, SUCCESS, KINDS };
static const char *const NAMES[KINDS] = {"noop", "tick, early", "tick, due: sends", "extend succeeded"};

static leasebeat_heartbeat_t heartbeats[HEARTBEATS];
static leasebeat_decision_t decision;
static leasebeat_event_t success;
static uint64_t now = SECOND;
static double ns[KINDS][RUNS];

static void must(leasebeat_status_t status)
{
    if (status == LEASEBEAT_OK)
        return;
    fprintf(stderr, "%s\n", leasebeat_status_text(status));
    exit(1);
}

static void run(int kind)
{
    for (int at = 0; at < HEARTBEATS; at++) {
        switch (kind) {
        case NOOP:
            (void)*(volatile uint32_t *)&(uint32_t){leasebeat_abi_version()};
            break;
        case EARLY:
        case DUE:
            must(leasebeat_tick(&heartbeats[at], now, &decision));
            break;
        default:
            must(leasebeat_handle(&heartbeats[at], &success, now, &decision));
        }
    }
}

static double read_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int order(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(void)
{
    leasebeat_config_t config;
    must(leasebeat_config_init(&config, sizeof config, 60000));
    config.request_timeout_ms = 10000;
    config.present |= LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS;
    success.present = LEASEBEAT_EVENT_HAS_RTT_NS | LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS | LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS;
    success.rtt_ns = 20000000;
    success.remaining_ttl_ms = 60000;
    success.expires_at_ms = UINT64_C(1785585660000);
    success.kind = LEASEBEAT_EVENT_CREATED;
    for (int at = 0; at < HEARTBEATS; at++) {
        must(leasebeat_init(&heartbeats[at], sizeof heartbeats[at], &config));
        must(leasebeat_handle(&heartbeats[at], &success, now, &decision));
    }
    success.kind = LEASEBEAT_EVENT_EXTENDED;

    static const uint64_t AFTER[KINDS] = {0, SECOND, 40 * SECOND, SECOND};
    static const leasebeat_action_t EXPECTED[KINDS] = {0, LEASEBEAT_ACTION_WAIT, LEASEBEAT_ACTION_SEND, LEASEBEAT_ACTION_WAIT};
    for (int at = -WARM_UP; at < RUNS; at++) {
        for (int kind = 0; kind < KINDS; kind++) {
            now += AFTER[kind];
            const double start = read_ns();
            run(kind);
            const double end = read_ns();
            if (kind != NOOP && decision.action != EXPECTED[kind]) {
                fprintf(stderr, "%s decided %d\n", NAMES[kind], (int)decision.action);
                return 1;
            }
            if (at >= 0)
                ns[kind][at] = (end - start) / HEARTBEATS;
        }
    }
    for (int kind = 0; kind < KINDS; kind++)
        qsort(ns[kind], RUNS, sizeof ns[kind][0], order);
    const double noop = ns[NOOP][RUNS / 2];
    for (int kind = EARLY; kind < KINDS; kind++) {
        const double median = ns[kind][RUNS / 2];
        printf("{\"name\":\"%s\",\"ns_per_call\":%.2f,\"ns_low\":%.2f,\"ns_high\":%.2f,\"noop_ns\":%.2f,\"ratio\":%.2f}\n",
               NAMES[kind], median, ns[kind][RUNS / 10], ns[kind][RUNS / 10 * 9], noop, median / noop);
    }
    return 0;
}
