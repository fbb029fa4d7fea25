/* A complete heartbeat: creates a reservation, keeps it alive while work is done, and releases it.
 *
 *     heartbeat URL API_KEY TENANT SECONDS
 *
 * It ends with 0 if the lease was provably held from the first answer to the last moment of the work. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <leasebeat.h>

#include "http.h"

#define TTL_MS 4000
/* What the kernel budgets for one attempt, and what curl is given: the difference is for noticing the failure. */
#define TIMEOUT_MS 1000
#define ON_THE_WIRE_MS 800

struct host {
    leasebeat_heartbeat_t heartbeat;
    leasebeat_decision_t decision;
    struct http *http;
    const char *tenant;
    uint64_t run;     /* makes the keys of this run its own */
    uint64_t sent_ns; /* when the attempt in flight was sent */
    char reservation[513];
    unsigned lapses;
};

/* One monotonic clock; the one that counts time asleep, where there is one. */
static uint64_t now_ns(void)
{
#ifdef CLOCK_BOOTTIME
    const clockid_t clock = CLOCK_BOOTTIME;
#else
    const clockid_t clock = CLOCK_MONOTONIC;
#endif
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int fail(const char *what, leasebeat_status_t status)
{
    fprintf(stderr, "%s: %s\n", what, leasebeat_status_text(status));
    return 1;
}

static void say(const struct host *host)
{
    char why[400];
    if (leasebeat_explain(&host->heartbeat, &host->decision, why, sizeof why, NULL) == LEASEBEAT_OK)
        printf("%s: %s\n", leasebeat_action_name(host->decision.action), why);
}

/* Sends what the decision describes. The idempotency key follows from its generation. */
static int send_attempt(struct host *host)
{
    const leasebeat_decision_t *attempt = &host->decision;
    char path[700], body[512];
    if (attempt->operation == LEASEBEAT_OPERATION_CREATE) {
        snprintf(path, sizeof path, "/v1/reservations");
        snprintf(body, sizeof body,
                 "{\"idempotency_key\":\"%" PRIx64 "-%" PRIu32 "\",\"subject\":{\"tenant\":\"%s\"},"
                 "\"action\":{\"kind\":\"example\",\"name\":\"c\"},\"estimate\":{\"unit\":\"TOKENS\",\"amount\":100},"
                 "\"ttl_ms\":%d}",
                 host->run, attempt->key_generation, host->tenant, TTL_MS);
    } else {
        snprintf(path, sizeof path, "/v1/reservations/%s/extend", host->reservation);
        snprintf(body, sizeof body, "{\"idempotency_key\":\"%" PRIx64 "-%" PRIu32 "\",\"extend_by_ms\":%" PRIu64 "}",
                 host->run, attempt->key_generation, attempt->extend_by_ms);
    }
    host->sent_ns = now_ns();
    return http_post(host->http, path, body, ON_THE_WIRE_MS);
}

/* What the library makes of an answer. */
static leasebeat_status_t read_answer(struct host *host, const struct http_answer *got, leasebeat_event_t *event)
{
    leasebeat_answer_t answer = {0};
    answer.operation = host->decision.operation;
    answer.status = got->status;
    answer.body = got->body;
    answer.body_length = got->body_length;
    if (got->retry_after != NULL) {
        answer.retry_after = got->retry_after;
        answer.retry_after_length = got->retry_after_length;
        answer.present |= LEASEBEAT_ANSWER_HAS_RETRY_AFTER;
    }
    leasebeat_status_t status = leasebeat_decode(&answer, event);
    if (status == LEASEBEAT_OK && event->kind == LEASEBEAT_EVENT_CREATED)
        status = leasebeat_decode_reservation_id(&answer, host->reservation, sizeof host->reservation, NULL);
    char problem[200];
    if (leasebeat_decode_problem(&answer, problem, sizeof problem, NULL) == LEASEBEAT_OK)
        printf("answer %u: %s\n", got->status, problem);
    return status;
}

/* Reports what became of the attempt, with the time it took. */
static leasebeat_status_t report(struct host *host, const struct http_answer *got, uint64_t received_ns)
{
    leasebeat_event_t event = {0};
    if (got->outcome == HTTP_ANSWERED) {
        leasebeat_status_t status = read_answer(host, got, &event);
        if (status != LEASEBEAT_OK)
            return status;
    } else {
        event.kind = LEASEBEAT_EVENT_FAILED;
        event.failure = got->outcome == HTTP_TIMED_OUT ? LEASEBEAT_FAILURE_TIMEOUT : LEASEBEAT_FAILURE_CONNECTION;
    }
    if (event.kind == LEASEBEAT_EVENT_CREATED || event.kind == LEASEBEAT_EVENT_EXTENDED) {
        event.rtt_ns = received_ns - host->sent_ns;
        event.present |= LEASEBEAT_EVENT_HAS_RTT_NS;
    }
    event.attempt = host->decision.attempt;
    event.present |= LEASEBEAT_EVENT_HAS_ATTEMPT;
    return leasebeat_handle(&host->heartbeat, &event, received_ns, &host->decision);
}

static leasebeat_status_t tell(struct host *host, leasebeat_event_kind_t kind)
{
    leasebeat_event_t event = {0};
    event.kind = kind;
    return leasebeat_handle(&host->heartbeat, &event, now_ns(), &host->decision);
}

/* How long to sleep: until the kernel has something to do, or the work is done. */
static uint64_t sleep_ms(const struct host *host, uint64_t end_ns)
{
    uint64_t now = now_ns(), until = end_ns;
    uint64_t deadline_ns;
    if (leasebeat_next_deadline(&host->heartbeat, &deadline_ns) == LEASEBEAT_OK && deadline_ns < until)
        until = deadline_ns;
    return until > now ? (until - now + 999999) / 1000000 : 0;
}

/* The work asks before each of its steps whether it still may. */
static void work(struct host *host)
{
    bool held = false;
    leasebeat_held_for(&host->heartbeat, 0, now_ns(), &held);
    host->lapses += host->reservation[0] != 0 && !held;
}

static int keep_alive(struct host *host, uint64_t end_ns)
{
    leasebeat_status_t status = tell(host, LEASEBEAT_EVENT_BEGIN);
    uint32_t in_flight = 0;
    while (status == LEASEBEAT_OK && host->decision.action != LEASEBEAT_ACTION_STOP) {
        struct http_answer answer;
        uint64_t deadline_ns;
        if (host->decision.action == LEASEBEAT_ACTION_SEND && host->decision.attempt != in_flight) {
            say(host);
            in_flight = host->decision.attempt;
            if (!send_attempt(host))
                return 1;
        }
        http_poll(host->http, sleep_ms(host, end_ns));
        work(host);
        leasebeat_decision_t before = host->decision;
        if (http_done(host->http, &answer)) {
            status = report(host, &answer, now_ns());
            if (host->decision.action == LEASEBEAT_ACTION_WAIT)
                say(host);
        } else if (now_ns() >= end_ns)
            status = tell(host, LEASEBEAT_EVENT_CLOSE);
        else if (leasebeat_next_deadline(&host->heartbeat, &deadline_ns) == LEASEBEAT_OK && now_ns() >= deadline_ns)
            status = leasebeat_tick(&host->heartbeat, now_ns(), &host->decision);
        /* A late answer to another attempt changes nothing. */
        if (status == LEASEBEAT_ERROR_STALE_ATTEMPT) {
            host->decision = before;
            status = LEASEBEAT_OK;
        }
    }
    say(host);
    return status == LEASEBEAT_OK ? 0 : fail("heartbeat", status);
}

/* Gives the reservation back. */
static int release(struct host *host)
{
    char path[700], body[128];
    struct http_answer answer;
    snprintf(path, sizeof path, "/v1/reservations/%s/release", host->reservation);
    snprintf(body, sizeof body, "{\"idempotency_key\":\"%" PRIx64 "-release\"}", host->run);
    if (!http_post(host->http, path, body, TIMEOUT_MS))
        return 1;
    while (!http_done(host->http, &answer))
        http_poll(host->http, 100);
    printf("release: %u\n", answer.status);
    return answer.outcome == HTTP_ANSWERED && answer.status == 200 ? 0 : 1;
}

int main(int count, char **arguments)
{
    if (count != 5) {
        fprintf(stderr, "usage: heartbeat URL API_KEY TENANT SECONDS\n");
        return 2;
    }
    struct host host = {0};
    leasebeat_config_t config;
    leasebeat_config_init(&config, sizeof config, TTL_MS);
    config.request_timeout_ms = TIMEOUT_MS;
    config.present |= LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS;
    leasebeat_status_t status = leasebeat_init(&host.heartbeat, sizeof host.heartbeat, &config);
    if (status != LEASEBEAT_OK)
        return fail("config", status);
    host.http = http_open(arguments[1], arguments[2]);
    if (host.http == NULL)
        return 1;
    host.tenant = arguments[3];
    host.run = now_ns() ^ ((uint64_t)getpid() << 40);

    int failed = keep_alive(&host, now_ns() + (uint64_t)(atof(arguments[4]) * 1e9));
    leasebeat_stats_t stats;
    leasebeat_stats(&host.heartbeat, &stats);
    printf("%" PRIu32 " extensions, %" PRIu32 " failures, %u lapses\n", stats.extensions, stats.failures, host.lapses);
    failed |= host.decision.reason != LEASEBEAT_STOP_CLOSED || host.lapses > 0 || stats.extensions == 0;
    failed |= release(&host);
    http_close(host.http);
    return failed;
}
