/* Replays every vector through the C ABI, and compares each decision, written here from its flat struct, byte for byte
   with the expected line. With `--calls` it prints a line a call instead: what callgrind counts, in its order. Compiled
   with IN_A_FLEET each is a lease of a fleet. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "leasebeat.h"
#ifdef IN_A_FLEET
#include "leasebeat_fleet.h"
#endif

#define LINE_MAX_BYTES 65536

static int calls_only;

static void die(const char *name, long line, const char *what)
{
    fprintf(stderr, "%s, line %ld: %s\n", name, line, what);
    exit(1);
}

/* A number that is there and not null. */
static int number(struct json_object *object, const char *key, uint64_t *value)
{
    struct json_object *found;
    if (!json_object_object_get_ex(object, key, &found) || found == NULL)
        return 0;
    *value = json_object_get_uint64(found);
    return 1;
}

static const char *text(struct json_object *object, const char *key)
{
    struct json_object *found;
    if (!json_object_object_get_ex(object, key, &found) || found == NULL)
        return NULL;
    return json_object_get_string(found);
}

static void read_config(struct json_object *header, leasebeat_config_t *config)
{
    struct json_object *object = NULL;
    json_object_object_get_ex(header, "config", &object);
    leasebeat_config_init(config, sizeof *config, 0);
    number(object, "extend_by_ms", &config->extend_by_ms);
    number(object, "clock_resolution_ns", &config->clock_resolution_ns);
    if (number(object, "request_timeout_ms", &config->request_timeout_ms))
        config->present |= LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS;
    if (number(object, "max_wait_ms", &config->max_wait_ms))
        config->present |= LEASEBEAT_CONFIG_HAS_MAX_WAIT_MS;
    const char *fallback = text(object, "fallback");
    if (fallback != NULL && strcmp(fallback, "refuse") == 0)
        config->fallback = LEASEBEAT_FALLBACK_REFUSE;
}

/* The number that the library gives a name, found by asking for the name of each. */
static uint8_t code_named(const char *name)
{
    for (unsigned code = 1; code < 256; code++)
        if (strcmp(leasebeat_error_code_name((leasebeat_error_code_t)code), name) == 0)
            return (uint8_t)code;
    return 0;
}

static int read_failure(struct json_object *object, leasebeat_event_t *event)
{
    uint64_t status = 0;
    const char *kind = text(object, "kind");
    if (strcmp(kind, "timeout") == 0)
        event->failure = LEASEBEAT_FAILURE_TIMEOUT;
    else if (strcmp(kind, "connection") == 0)
        event->failure = LEASEBEAT_FAILURE_CONNECTION;
    else if (strcmp(kind, "ambiguous") == 0)
        event->failure = LEASEBEAT_FAILURE_AMBIGUOUS;
    else if (strcmp(kind, "http") == 0)
        event->failure = LEASEBEAT_FAILURE_HTTP;
    else
        return 0;
    if (event->failure != LEASEBEAT_FAILURE_HTTP)
        return 1;
    number(object, "status", &status);
    event->http_status = (uint16_t)status;
    const char *code = text(object, "code");
    /* A code that the protocol does not name is none. */
    if (code != NULL && (event->error_code = code_named(code)) != 0)
        event->present |= LEASEBEAT_EVENT_HAS_ERROR_CODE;
    const char *header = text(object, "retry_after");
    if (header != NULL
        && leasebeat_parse_retry_after(header, strlen(header), &event->retry_after_ms) == LEASEBEAT_OK)
        event->present |= LEASEBEAT_EVENT_HAS_RETRY_AFTER_MS;
    return 1;
}

static int read_event(struct json_object *object, leasebeat_event_t *event, uint64_t *now_ns)
{
    uint64_t attempt;
    const char *in = text(object, "in");
    memset(event, 0, sizeof *event);
    number(object, "at", now_ns);
    if (number(object, "attempt", &attempt)) {
        event->attempt = (uint32_t)attempt;
        event->present |= LEASEBEAT_EVENT_HAS_ATTEMPT;
    }
    if (number(object, "rtt_ns", &event->rtt_ns))
        event->present |= LEASEBEAT_EVENT_HAS_RTT_NS;
    if (number(object, "remaining_ttl_ms", &event->remaining_ttl_ms))
        event->present |= LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS;
    if (number(object, "expires_at_ms", &event->expires_at_ms))
        event->present |= LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS;
    if (strcmp(in, "begin") == 0)
        event->kind = LEASEBEAT_EVENT_BEGIN;
    else if (strcmp(in, "created") == 0)
        event->kind = LEASEBEAT_EVENT_CREATED;
    else if (strcmp(in, "denied") == 0)
        event->kind = LEASEBEAT_EVENT_DENIED;
    else if (strcmp(in, "extended") == 0)
        event->kind = LEASEBEAT_EVENT_EXTENDED;
    else if (strcmp(in, "tick") == 0)
        event->kind = LEASEBEAT_EVENT_TICK;
    else if (strcmp(in, "timing-lost") == 0)
        event->kind = LEASEBEAT_EVENT_TIMING_LOST;
    else if (strcmp(in, "close") == 0)
        event->kind = LEASEBEAT_EVENT_CLOSE;
    else if (strcmp(in, "failed") == 0) {
        event->kind = LEASEBEAT_EVENT_FAILED;
        return read_failure(object, event);
    } else
        return 0;
    return 1;
}

/* One decision as docs/RULES.md writes it. */
static void write_decision(char *line, size_t size, leasebeat_status_t status, const leasebeat_decision_t *decision)
{
    char optional[24] = "null";
    if (status != LEASEBEAT_OK) {
        snprintf(line, size, "{\"error\":\"%s\"}", leasebeat_status_name(status));
        return;
    }
    switch (decision->action) {
    case LEASEBEAT_ACTION_SEND:
        if (decision->present & LEASEBEAT_DECISION_HAS_TIMEOUT_MS)
            snprintf(optional, sizeof optional, "%" PRIu64, decision->timeout_ms);
        snprintf(line, size,
                 "{\"do\":\"send\",\"op\":\"%s\",\"key\":\"%s\",\"attempt\":%" PRIu32 ",\"timeout_ms\":%s}",
                 leasebeat_operation_name(decision->operation), leasebeat_key_name(decision->key), decision->attempt,
                 optional);
        return;
    case LEASEBEAT_ACTION_WAIT:
        if (decision->present & LEASEBEAT_DECISION_HAS_WAIT_MS)
            snprintf(optional, sizeof optional, "%" PRIu64, decision->wait_ms);
        snprintf(line, size, "{\"do\":\"wait\",\"ms\":%s}", optional);
        return;
    default:
        snprintf(line, size, "{\"do\":\"stop\",\"reason\":\"%s\"}", leasebeat_stop_name(decision->reason));
    }
}

static void compare(const char *name, FILE *expected, const char *line)
{
    static char wanted[LINE_MAX_BYTES];
    if (calls_only)
        return;
    if (fgets(wanted, sizeof wanted, expected) == NULL)
        die(name, 0, "a decision too many");
    wanted[strcspn(wanted, "\n")] = 0;
    if (strcmp(wanted, line) != 0) {
        fprintf(stderr, "%s\n  expected %s\n  decided  %s\n", name, wanted, line);
        exit(1);
    }
}

#ifdef IN_A_FLEET
typedef struct {
    uint64_t words[256], id;
} lease_t;

static leasebeat_status_t make(lease_t *lease, const leasebeat_config_t *config)
{
    uint16_t class_id;
    leasebeat_fleet_t *fleet = (leasebeat_fleet_t *)lease->words;
    leasebeat_status_t status = leasebeat_fleet_init(fleet, sizeof lease->words, 1, 1, 0, NULL);
    if (status == LEASEBEAT_OK)
        status = leasebeat_fleet_add_class(fleet, config, &class_id);
    return status == LEASEBEAT_OK ? leasebeat_fleet_insert(fleet, class_id, &lease->id) : status;
}

static leasebeat_status_t handle(lease_t *lease, const leasebeat_event_t *event, uint64_t now_ns,
                                 leasebeat_decision_t *decision)
{
    return leasebeat_fleet_handle((leasebeat_fleet_t *)lease->words, lease->id, event, now_ns, decision);
}
#else
typedef leasebeat_heartbeat_t lease_t;

static leasebeat_status_t make(lease_t *lease, const leasebeat_config_t *config)
{
    return leasebeat_init(lease, sizeof *lease, config);
}

#define handle leasebeat_handle
#endif

/* A stale struct must not matter where an event is refused. */
static void step(const char *name, long number, struct json_object *object, lease_t *lease, FILE *expected)
{
    char line[256];
    uint64_t now_ns = 0;
    leasebeat_event_t event;
    leasebeat_decision_t decision = {0};
    if (!read_event(object, &event, &now_ns))
        die(name, number, "no event");
    leasebeat_status_t status = handle(lease, &event, now_ns, &decision);
    if (status != LEASEBEAT_OK && (decision.action != 0 || decision.rule != 0))
        die(name, number, "a refused event wrote a decision");
    if (calls_only)
        printf("%s %ld\n", name, number);
    write_decision(line, sizeof line, status, &decision);
    compare(name, expected, line);
}

static FILE *open_in(const char *folder, const char *name, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        die(path, 0, "cannot be read");
    return file;
}

static void replay(const char *folder, const char *name)
{
    static char line[LINE_MAX_BYTES];
    leasebeat_config_t config;
    lease_t lease;
    FILE *trace = open_in(folder, name, ".jsonl"), *expected = open_in(folder, name, ".expected.jsonl");
    leasebeat_status_t made = LEASEBEAT_OK;
    for (long number = 1; fgets(line, sizeof line, trace) != NULL; number++) {
        struct json_object *object = json_tokener_parse(line);
        if (object == NULL)
            die(name, number, "no JSON");
        if (number == 1) {
            read_config(object, &config);
            made = make(&lease, &config);
            if (made != LEASEBEAT_OK)
                compare(name, expected, "{\"error\":\"invalid-config\"}");
        } else if (made == LEASEBEAT_OK)
            step(name, number, object, &lease, expected);
        json_object_put(object);
    }
    if (!calls_only && fgets(line, sizeof line, expected) != NULL)
        die(name, 0, "a decision too few");
    fclose(trace);
    fclose(expected);
}

static int is_trace(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 6 && strcmp(entry->d_name + length - 6, ".jsonl") == 0
           && strstr(entry->d_name, ".expected.") == NULL;
}

static int by_name(const struct dirent **one, const struct dirent **other)
{
    return strcmp((*one)->d_name, (*other)->d_name);
}

int main(int count, char **arguments)
{
    struct dirent **entries;
    if (count < 3) {
        fprintf(stderr, "usage: vectors FOLDER COUNT [--calls]\n");
        return 2;
    }
    calls_only = count > 3 && strcmp(arguments[3], "--calls") == 0;
    int found = scandir(arguments[1], &entries, is_trace, by_name);
    if (found != atoi(arguments[2])) {
        fprintf(stderr, "%d vectors in %s, %s expected\n", found, arguments[1], arguments[2]);
        return 1;
    }
    for (int at = 0; at < found; at++) {
        entries[at]->d_name[strlen(entries[at]->d_name) - 6] = 0;
        replay(arguments[1], entries[at]->d_name);
        free(entries[at]);
    }
    free(entries);
    if (!calls_only)
        printf("%d vectors, byte-equal\n", found);
    return 0;
}
