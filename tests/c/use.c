/* Every function as C uses and misuses it: each refusal has its own status and changes nothing. It is C11 and C++17. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/memcheck.h>

#include "leasebeat.h"

#define MS 1000000u

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

/* Whether two heartbeats have the same bytes, those between their fields, which nobody wrote, too. */
static int same(const leasebeat_heartbeat_t *one, const leasebeat_heartbeat_t *other)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(one, sizeof *one);
    (void)VALGRIND_MAKE_MEM_DEFINED(other, sizeof *other);
    return memcmp(one, other, sizeof *one) == 0;
}

static leasebeat_config_t usual(void)
{
    leasebeat_config_t config;
    CHECK(leasebeat_config_init(&config, sizeof config, 60000) == LEASEBEAT_OK);
    config.request_timeout_ms = 10000;
    config.present = LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS;
    return config;
}

static leasebeat_heartbeat_t fresh(void)
{
    leasebeat_heartbeat_t heartbeat;
    leasebeat_config_t config = usual();
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, &config) == LEASEBEAT_OK);
    return heartbeat;
}

static leasebeat_event_t event_of(leasebeat_event_kind_t kind)
{
    leasebeat_event_t event;
    memset(&event, 0, sizeof event);
    event.kind = kind;
    return event;
}

static leasebeat_event_t created(void)
{
    leasebeat_event_t event = event_of(LEASEBEAT_EVENT_CREATED);
    event.rtt_ns = 100 * MS;
    event.remaining_ttl_ms = 60000;
    event.present = LEASEBEAT_EVENT_HAS_RTT_NS | LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS;
    return event;
}

/* The heartbeat refuses the event with `wanted`, and neither it nor the decision has changed. */
static void refuses(leasebeat_heartbeat_t *heartbeat, const leasebeat_event_t *event, leasebeat_status_t wanted)
{
    leasebeat_decision_t decision, before;
    leasebeat_heartbeat_t copy = *heartbeat;
    memset(&decision, 0x5a, sizeof decision);
    before = decision;
    leasebeat_status_t status = leasebeat_handle(heartbeat, event, 7, &decision);
    if (status != wanted)
        fprintf(stderr, "%s, not %s\n", leasebeat_status_name(status), leasebeat_status_name(wanted));
    CHECK(status == wanted);
    CHECK(memcmp(&decision, &before, sizeof before) == 0);
    CHECK(same(heartbeat, &copy));
}

static void versions(void)
{
    CHECK(leasebeat_abi_version() == LEASEBEAT_ABI_VERSION);
    CHECK(leasebeat_sizeof() <= sizeof(leasebeat_heartbeat_t));
}

static void configs(void)
{
    char text[128];
    size_t length;
    leasebeat_heartbeat_t heartbeat;
    leasebeat_config_t config = usual();
    union {
        leasebeat_config_t config;
        unsigned char bytes[64];
    } larger;

    CHECK(leasebeat_config_init(NULL, sizeof config, 1) == LEASEBEAT_ERROR_NULL);
    CHECK(leasebeat_config_init(&config, sizeof config - 1, 1) == LEASEBEAT_ERROR_SIZE);
    config = usual();
    CHECK(leasebeat_config_check(&config, text, sizeof text, &length) == LEASEBEAT_OK && length == 0 && text[0] == 0);

    /* A newer program's config is taken where what we do not know is zero. */
    memset(&larger, 0, sizeof larger);
    larger.config = config;
    larger.config.size = sizeof larger;
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, &larger.config) == LEASEBEAT_OK);
    larger.bytes[63] = 1;
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, &larger.config) == LEASEBEAT_ERROR_RESERVED);

    config.size = sizeof config - 8;
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, &config) == LEASEBEAT_ERROR_SIZE);
    config = usual();
    config.reserved[6] = 1;
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, &config) == LEASEBEAT_ERROR_RESERVED);
    config = usual();
    config.present |= 4;
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, &config) == LEASEBEAT_ERROR_PRESENT);
    config = usual();
    config.fallback = (leasebeat_fallback_t)2;
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, &config) == LEASEBEAT_ERROR_FALLBACK);
    config = usual();
    config.extend_by_ms = 86400001;
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, &config) == LEASEBEAT_ERROR_EXTEND_BY_MS);
    CHECK(leasebeat_config_check(&config, text, sizeof text, &length) == LEASEBEAT_ERROR_EXTEND_BY_MS);
    CHECK(strcmp(text, "extend_by_ms is 86400001; it must be from 1 to 86400000") == 0 && length == strlen(text));
    CHECK(leasebeat_config_check(&config, text, 13, &length) == LEASEBEAT_ERROR_EXTEND_BY_MS);
    CHECK(strcmp(text, "extend_by_ms") == 0 && length > 13);
    config = usual();
    config.request_timeout_ms = 0;
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, &config) == LEASEBEAT_ERROR_REQUEST_TIMEOUT_MS);
    config = usual();
    config.clock_resolution_ns = 10000000001;
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, &config) == LEASEBEAT_ERROR_CLOCK_RESOLUTION_NS);
    config = usual();
    config.present |= LEASEBEAT_CONFIG_HAS_MAX_WAIT_MS;
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, &config) == LEASEBEAT_ERROR_MAX_WAIT_MS);

    config = usual();
    CHECK(leasebeat_init(NULL, sizeof heartbeat, &config) == LEASEBEAT_ERROR_NULL);
    CHECK(leasebeat_init(&heartbeat, sizeof heartbeat, NULL) == LEASEBEAT_ERROR_NULL);
    CHECK(leasebeat_init(&heartbeat, leasebeat_sizeof() - 1, &config) == LEASEBEAT_ERROR_SIZE);

    leasebeat_plan_t plan;
    CHECK(leasebeat_plan_config(&config, 60000, 1500, &plan) == LEASEBEAT_OK);
    CHECK(plan.delay_ms == 37000 && plan.safety_margin_ms == 3000 && plan.largest_timeout_ms == 28499);
    CHECK(plan.attempt_budget_ms == 10000 && plan.retry_reserve_ms == 23000 && plan.shortest_lead_ms == 23001);
    CHECK(plan.present == 31 && plan.reserved == 0);
    CHECK(leasebeat_plan_config(&config, 20000, 1500, &plan) == LEASEBEAT_OK);
    CHECK((plan.present & LEASEBEAT_PLAN_HAS_DELAY_MS) == 0 && plan.delay_ms == 0);
}

static void addresses(void)
{
    leasebeat_heartbeat_t heartbeat = fresh(), foreign;
    leasebeat_event_t event = event_of(LEASEBEAT_EVENT_TICK);
    leasebeat_decision_t decision;
    uint64_t value;

    refuses(&heartbeat, NULL, LEASEBEAT_ERROR_NULL);
    refuses(&heartbeat, (const leasebeat_event_t *)((const char *)&event + 1), LEASEBEAT_ERROR_MISALIGNED);
    CHECK(leasebeat_handle(NULL, &event, 0, &decision) == LEASEBEAT_ERROR_NULL);
    CHECK(leasebeat_handle(&heartbeat, &event, 0, NULL) == LEASEBEAT_ERROR_NULL);
    CHECK(leasebeat_tick((leasebeat_heartbeat_t *)((char *)&heartbeat + 4), 0, &decision)
          == LEASEBEAT_ERROR_MISALIGNED);
    CHECK(leasebeat_tick(&heartbeat, 0, (leasebeat_decision_t *)((char *)&decision + 4)) == LEASEBEAT_ERROR_MISALIGNED);
    CHECK(leasebeat_tick(&heartbeat, 0, (leasebeat_decision_t *)&heartbeat.opaque[3]) == LEASEBEAT_ERROR_OVERLAP);
    CHECK(leasebeat_fence(&heartbeat, &heartbeat.opaque[31]) == LEASEBEAT_ERROR_OVERLAP);
    CHECK(leasebeat_fence(&heartbeat, NULL) == LEASEBEAT_ERROR_NULL);
    for (int fill = 0; fill < 256; fill++) {
        memset(&foreign, fill, sizeof foreign);
        CHECK(leasebeat_tick(&foreign, 0, &decision) == LEASEBEAT_ERROR_UNINITIALIZED);
        CHECK(leasebeat_lead(&foreign, 0, &value) == LEASEBEAT_ERROR_UNINITIALIZED);
        CHECK(((unsigned char *)&foreign)[255] == fill);
    }
}

static void events(void)
{
    leasebeat_heartbeat_t heartbeat = fresh();
    leasebeat_decision_t decision;
    leasebeat_event_t event;

    for (unsigned kind = 0; kind < 256; kind++) {
        event = event_of((leasebeat_event_kind_t)kind);
        if (kind < LEASEBEAT_EVENT_BEGIN || kind > LEASEBEAT_EVENT_CLOSE)
            refuses(&heartbeat, &event, LEASEBEAT_ERROR_EVENT_KIND);
        /* No kind has every optional field. */
        event.present = 0xff;
        if (kind >= LEASEBEAT_EVENT_BEGIN && kind <= LEASEBEAT_EVENT_CLOSE && kind != LEASEBEAT_EVENT_FAILED)
            refuses(&heartbeat, &event, LEASEBEAT_ERROR_PRESENT);
    }
    for (unsigned at = 0; at < sizeof event.reserved; at++) {
        event = event_of(LEASEBEAT_EVENT_TICK);
        event.reserved[at] = 1;
        refuses(&heartbeat, &event, LEASEBEAT_ERROR_RESERVED);
    }
    event = event_of(LEASEBEAT_EVENT_FAILED);
    refuses(&heartbeat, &event, LEASEBEAT_ERROR_FAILURE);
    event.failure = (leasebeat_failure_t)5;
    refuses(&heartbeat, &event, LEASEBEAT_ERROR_FAILURE);
    event.failure = LEASEBEAT_FAILURE_TIMEOUT;
    event.present = LEASEBEAT_EVENT_HAS_ERROR_CODE;
    refuses(&heartbeat, &event, LEASEBEAT_ERROR_PRESENT);
    event.failure = LEASEBEAT_FAILURE_HTTP;
    refuses(&heartbeat, &event, LEASEBEAT_ERROR_ERROR_CODE);
    event.error_code = (leasebeat_error_code_t)18;
    refuses(&heartbeat, &event, LEASEBEAT_ERROR_ERROR_CODE);
    event.error_code = LEASEBEAT_CODE_LIMIT_EXCEEDED;
    refuses(&heartbeat, &event, LEASEBEAT_ERROR_UNEXPECTED_EVENT);

    event = event_of(LEASEBEAT_EVENT_BEGIN);
    CHECK(leasebeat_handle(&heartbeat, &event, 7, &decision) == LEASEBEAT_OK);
    CHECK(decision.action == LEASEBEAT_ACTION_SEND && decision.operation == LEASEBEAT_OPERATION_CREATE);
    CHECK(decision.key == LEASEBEAT_KEY_FRESH && decision.attempt == 1 && decision.key_generation == 1);
    CHECK(decision.timeout_ms == 10000 && decision.present == LEASEBEAT_DECISION_HAS_TIMEOUT_MS);
    CHECK(decision.extend_by_ms == 60000 && decision.wait_ms == 0 && decision.reason == 0);
    CHECK(decision.reserved[0] == 0 && decision.reserved[1] == 0 && decision.rule == LEASEBEAT_RULE_L1);
    refuses(&heartbeat, &event, LEASEBEAT_ERROR_UNEXPECTED_EVENT);
    event = created();
    event.present |= LEASEBEAT_EVENT_HAS_ATTEMPT;
    event.attempt = 2;
    refuses(&heartbeat, &event, LEASEBEAT_ERROR_STALE_ATTEMPT);
}

static void views(void)
{
    leasebeat_heartbeat_t heartbeat = fresh();
    leasebeat_decision_t decision;
    leasebeat_event_t event = created();
    leasebeat_stop_t reason;
    leasebeat_stats_t stats;
    leasebeat_plan_t plan;
    uint64_t value = 5;
    uint32_t attempt = 5;
    bool held = true;

    CHECK(leasebeat_fence(&heartbeat, &value) == LEASEBEAT_NONE && value == 5);
    CHECK(leasebeat_danger(&heartbeat, &value) == LEASEBEAT_NONE && value == 5);
    CHECK(leasebeat_next_deadline(&heartbeat, &value) == LEASEBEAT_NONE && value == 5);
    CHECK(leasebeat_in_flight(&heartbeat, &attempt) == LEASEBEAT_NONE && attempt == 5);
    CHECK(leasebeat_stopped(&heartbeat, &reason) == LEASEBEAT_NONE);
    CHECK(leasebeat_held_for(&heartbeat, 0, 0, &held) == LEASEBEAT_OK && !held);

    uint64_t now = 1000ull * MS;
    CHECK(leasebeat_handle(&heartbeat, &event, now, &decision) == LEASEBEAT_OK);
    CHECK(decision.action == LEASEBEAT_ACTION_WAIT && decision.wait_ms == 38900);
    CHECK(decision.present == LEASEBEAT_DECISION_HAS_WAIT_MS && decision.attempt == 0);
    CHECK(leasebeat_fence(&heartbeat, &value) == LEASEBEAT_OK && value == 60900ull * MS);
    CHECK(leasebeat_danger(&heartbeat, &value) == LEASEBEAT_OK && value == 49900ull * MS);
    CHECK(leasebeat_next_deadline(&heartbeat, &value) == LEASEBEAT_OK && value == 39900ull * MS);
    CHECK(leasebeat_lead(&heartbeat, 2000ull * MS, &value) == LEASEBEAT_OK && value == 58900);
    CHECK(leasebeat_held_for(&heartbeat, 59900, now, &held) == LEASEBEAT_OK && held);
    CHECK(leasebeat_held_for(&heartbeat, 59901, now, &held) == LEASEBEAT_OK && !held);
    CHECK(leasebeat_plan(&heartbeat, &plan) == LEASEBEAT_OK && plan.delay_ms == 38900);

    leasebeat_heartbeat_t what_if = heartbeat;
    CHECK(leasebeat_tick(&what_if, 39900ull * MS, &decision) == LEASEBEAT_OK);
    CHECK(decision.action == LEASEBEAT_ACTION_SEND && decision.rule == LEASEBEAT_RULE_P4);
    CHECK(leasebeat_in_flight(&what_if, &attempt) == LEASEBEAT_OK && attempt == 1);
    CHECK(leasebeat_in_flight(&heartbeat, &attempt) == LEASEBEAT_NONE);
    event = event_of(LEASEBEAT_EVENT_CLOSE);
    CHECK(leasebeat_handle(&what_if, &event, 39901ull * MS, &decision) == LEASEBEAT_OK);
    CHECK(leasebeat_stopped(&what_if, &reason) == LEASEBEAT_OK && reason == LEASEBEAT_STOP_CLOSED);
    CHECK(leasebeat_stats(&what_if, &stats) == LEASEBEAT_OK && stats.attempts == 1 && stats.failures == 0);
}

static void words(void)
{
    leasebeat_heartbeat_t heartbeat = fresh();
    leasebeat_decision_t decision;
    leasebeat_event_t event = created();
    leasebeat_numbers_t numbers;
    char whole[400], part[400];
    size_t length, again;

    CHECK(leasebeat_handle(&heartbeat, &event, 1000ull * MS, &decision) == LEASEBEAT_OK);
    CHECK(leasebeat_describe(&decision, whole, sizeof whole, &length) == LEASEBEAT_OK);
    CHECK(strcmp(whole, "wait 38900 ms: a beat is due when the lead has shrunk to the retry reserve (P4)") == 0);
    CHECK(leasebeat_explain(&heartbeat, &decision, whole, sizeof whole, &length) == LEASEBEAT_OK);
    CHECK(strstr(whole, "lead 59900 ms, attempt budget 10000 ms") != NULL && length == strlen(whole));
    CHECK(leasebeat_explain(&heartbeat, &decision, NULL, 0, &again) == LEASEBEAT_OK && again == length);
    for (size_t capacity = 1; capacity <= length + 1; capacity++) {
        memset(part, 'x', sizeof part);
        CHECK(leasebeat_explain(&heartbeat, &decision, part, capacity, NULL) == LEASEBEAT_OK);
        CHECK(strlen(part) == capacity - 1 && memcmp(part, whole, capacity - 1) == 0 && part[capacity] == 'x');
    }
    CHECK(leasebeat_explain(&heartbeat, &decision, NULL, 1, NULL) == LEASEBEAT_ERROR_NULL);
    CHECK(leasebeat_explain(&heartbeat, &decision, part, SIZE_MAX, NULL) == LEASEBEAT_ERROR_SIZE);
    CHECK(leasebeat_explain(&heartbeat, &decision, (char *)&decision, 40, NULL) == LEASEBEAT_ERROR_OVERLAP);
    CHECK(leasebeat_explain(&heartbeat, &decision, (char *)&heartbeat, 1, NULL) == LEASEBEAT_ERROR_OVERLAP);
    CHECK(leasebeat_numbers(&heartbeat, &decision, &numbers) == LEASEBEAT_OK);
    CHECK(numbers.lead_ms == 59900 && numbers.window_ms == 48900 && numbers.retry_reserve_ms == 21000);
    CHECK(numbers.present == 15 && numbers.safety_margin_ms == 1000 && numbers.attempt_budget_ms == 10000);
    decision.action = (leasebeat_action_t)9;
    CHECK(leasebeat_describe(&decision, part, sizeof part, NULL) == LEASEBEAT_ERROR_DECISION);
    decision.action = LEASEBEAT_ACTION_WAIT;
    decision.reserved[1] = 1;
    CHECK(leasebeat_describe(&decision, part, sizeof part, NULL) == LEASEBEAT_ERROR_RESERVED);
    decision.reserved[1] = 0;
    decision.present = 4;
    CHECK(leasebeat_describe(&decision, part, sizeof part, NULL) == LEASEBEAT_ERROR_PRESENT);
}

static leasebeat_answer_t answer_of(leasebeat_operation_t operation, uint16_t status, const char *body)
{
    leasebeat_answer_t answer;
    memset(&answer, 0, sizeof answer);
    answer.operation = operation;
    answer.status = status;
    answer.body = body;
    answer.body_length = strlen(body);
    return answer;
}

static void answers(void)
{
    leasebeat_event_t event;
    leasebeat_disposition_t disposition;
    char text[128];
    size_t length = 0;
    uint64_t delay = 3;

    leasebeat_answer_t answer = answer_of(
        LEASEBEAT_OPERATION_CREATE, 200,
        "{\"decision\":\"ALLOW\",\"reservation_id\":\"rsv_\\u00e9\",\"expires_at_ms\":1785585660000,"
        "\"remaining_ttl_ms\":60000,\"affected_scopes\":[\"tenant:acme\"]}");
    CHECK(leasebeat_decode(&answer, &event) == LEASEBEAT_OK && event.kind == LEASEBEAT_EVENT_CREATED);
    CHECK(event.remaining_ttl_ms == 60000 && event.expires_at_ms == 1785585660000);
    CHECK(event.present == (LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS | LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS));
    CHECK(leasebeat_decode_reservation_id(&answer, text, sizeof text, &length) == LEASEBEAT_OK);
    CHECK(strcmp(text, "rsv_\xc3\xa9") == 0 && length == 6);
    memset(text, 'x', sizeof text);
    CHECK(leasebeat_decode_reservation_id(&answer, text, 6, &length) == LEASEBEAT_ERROR_BUFFER_TOO_SMALL);
    CHECK(text[0] == 'x' && length == 6);
    CHECK(leasebeat_decode_problem(&answer, text, sizeof text, &length) == LEASEBEAT_NONE && text[0] == 'x');

    answer = answer_of(LEASEBEAT_OPERATION_EXTEND, 200, "{\"status\":\"ACTIVE\",\"expires_at_ms\":1.5}");
    CHECK(leasebeat_decode(&answer, &event) == LEASEBEAT_OK && event.failure == LEASEBEAT_FAILURE_AMBIGUOUS);
    CHECK(leasebeat_decode_problem(&answer, text, sizeof text, &length) == LEASEBEAT_OK);
    CHECK(strcmp(text, "not written as an integer at /expires_at_ms, byte 35") == 0);
    CHECK(leasebeat_decode_reservation_id(&answer, text, sizeof text, &length) == LEASEBEAT_NONE);

    answer = answer_of(LEASEBEAT_OPERATION_EXTEND, 429, "{\"error\":\"LIMIT_EXCEEDED\"}");
    answer.retry_after = "7";
    answer.retry_after_length = 1;
    answer.present = LEASEBEAT_ANSWER_HAS_RETRY_AFTER;
    CHECK(leasebeat_decode(&answer, &event) == LEASEBEAT_OK && event.http_status == 429);
    CHECK(event.error_code == LEASEBEAT_CODE_LIMIT_EXCEEDED && event.retry_after_ms == 7000);
    CHECK(leasebeat_classify(answer.operation, &event, &disposition) == LEASEBEAT_OK);
    CHECK(disposition.kind == LEASEBEAT_DISPOSITION_THROTTLED && disposition.retry_after_ms == 7000);
    event.error_code = LEASEBEAT_CODE_TENANT_CLOSED;
    CHECK(leasebeat_classify(answer.operation, &event, &disposition) == LEASEBEAT_OK);
    CHECK(disposition.kind == LEASEBEAT_DISPOSITION_PERMANENT && disposition.reason == LEASEBEAT_STOP_TENANT_CLOSED);
    CHECK(leasebeat_classify((leasebeat_operation_t)0, &event, &disposition) == LEASEBEAT_ERROR_OPERATION);
    event.kind = LEASEBEAT_EVENT_TICK;
    CHECK(leasebeat_classify(answer.operation, &event, &disposition) == LEASEBEAT_ERROR_NOT_A_FAILURE);

    answer.operation = (leasebeat_operation_t)3;
    CHECK(leasebeat_decode(&answer, &event) == LEASEBEAT_ERROR_OPERATION);
    answer.operation = LEASEBEAT_OPERATION_EXTEND;
    answer.unknown_keys = (leasebeat_unknown_keys_t)2;
    CHECK(leasebeat_decode(&answer, &event) == LEASEBEAT_ERROR_UNKNOWN_KEYS);
    answer.unknown_keys = LEASEBEAT_UNKNOWN_KEYS_IGNORE;
    answer.present = 2;
    CHECK(leasebeat_decode(&answer, &event) == LEASEBEAT_ERROR_PRESENT);
    answer.present = 0;
    answer.reserved[2] = 1;
    CHECK(leasebeat_decode(&answer, &event) == LEASEBEAT_ERROR_RESERVED);
    answer.reserved[2] = 0;
    answer.body = NULL;
    CHECK(leasebeat_decode(&answer, &event) == LEASEBEAT_ERROR_NULL);
    answer.body = &event;
    answer.body_length = 8;
    CHECK(leasebeat_decode(&answer, &event) == LEASEBEAT_ERROR_OVERLAP);
    answer.body_length = SIZE_MAX;
    CHECK(leasebeat_decode(&answer, &event) == LEASEBEAT_ERROR_SIZE);

    CHECK(leasebeat_parse_retry_after(" 5\t", 3, &delay) == LEASEBEAT_OK && delay == 5000);
    CHECK(leasebeat_parse_retry_after("5.0", 3, &delay) == LEASEBEAT_NONE && delay == 5000);
    CHECK(leasebeat_parse_retry_after(NULL, 0, &delay) == LEASEBEAT_NONE);
    CHECK(leasebeat_parse_retry_after(NULL, 1, &delay) == LEASEBEAT_ERROR_NULL);
}

static void snapshots(void)
{
    unsigned char bytes[LEASEBEAT_SNAPSHOT_SIZE], torn[LEASEBEAT_SNAPSHOT_SIZE];
    leasebeat_heartbeat_t heartbeat = fresh(), restored = fresh();
    leasebeat_heartbeat_t before = restored;
    leasebeat_decision_t decision;
    leasebeat_event_t event = created();
    uint64_t fence;

    CHECK(leasebeat_handle(&heartbeat, &event, 1000ull * MS, &decision) == LEASEBEAT_OK);
    CHECK(leasebeat_snapshot(&heartbeat, bytes, sizeof bytes - 1) == LEASEBEAT_ERROR_SIZE);
    CHECK(leasebeat_snapshot(&heartbeat, bytes, sizeof bytes) == LEASEBEAT_OK);
    CHECK(leasebeat_snapshot(&heartbeat, &heartbeat, sizeof bytes) == LEASEBEAT_ERROR_OVERLAP);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        memcpy(torn, bytes, sizeof torn);
        torn[bit / 8] = (unsigned char)(torn[bit / 8] ^ (1 << bit % 8));
        leasebeat_status_t status =
            leasebeat_restore(&restored, sizeof restored, torn, sizeof torn, 5, &decision);
        CHECK(status == (bit < 32 ? LEASEBEAT_ERROR_SNAPSHOT_FORMAT : LEASEBEAT_ERROR_SNAPSHOT_CHECKSUM));
        CHECK(same(&restored, &before));
    }
    CHECK(leasebeat_restore(&restored, sizeof restored, bytes, 95, 5, &decision) == LEASEBEAT_ERROR_SIZE);
    CHECK(leasebeat_restore(&restored, sizeof restored, bytes, sizeof bytes, 5, &decision) == LEASEBEAT_OK);
    /* T6: on another clock nothing is proved, so the lease is extended at once. */
    CHECK(decision.action == LEASEBEAT_ACTION_SEND && decision.rule == LEASEBEAT_RULE_T6);
    CHECK(leasebeat_fence(&restored, &fence) == LEASEBEAT_NONE);
}

static void tick_counters(void)
{
    leasebeat_ticks_t ticks, foreign;
    uint64_t now = 1;
    CHECK(leasebeat_ticks_init(&ticks, sizeof ticks, 0) == LEASEBEAT_ERROR_HZ);
    CHECK(leasebeat_ticks_init(&ticks, sizeof ticks - 1, 1000) == LEASEBEAT_ERROR_SIZE);
    CHECK(leasebeat_ticks_init(&ticks, sizeof ticks, 1000) == LEASEBEAT_OK);
    CHECK(leasebeat_ticks_lap(&ticks, &now) == LEASEBEAT_OK && now == 4294967296);
    CHECK(leasebeat_ticks_widen(&ticks, UINT32_MAX, &now) == LEASEBEAT_OK && now == 4294967295000000);
    CHECK(leasebeat_ticks_widen(&ticks, 0, &now) == LEASEBEAT_OK && now == 4294967296000000);
    memset(&foreign, 0, sizeof foreign);
    CHECK(leasebeat_ticks_widen(&foreign, 0, &now) == LEASEBEAT_ERROR_UNINITIALIZED);
    CHECK(leasebeat_ticks_widen(&ticks, 0, &ticks.opaque[1]) == LEASEBEAT_ERROR_OVERLAP);
    /* A heartbeat is no widener. */
    leasebeat_heartbeat_t heartbeat = fresh();
    CHECK(leasebeat_ticks_widen((leasebeat_ticks_t *)&heartbeat, 0, &now) == LEASEBEAT_ERROR_UNINITIALIZED);
}

static void names(void)
{
    CHECK(strcmp(leasebeat_status_name(LEASEBEAT_OK), "ok") == 0);
    CHECK(strcmp(leasebeat_status_name(LEASEBEAT_ERROR_SNAPSHOT_VALUE), "snapshot-value") == 0);
    CHECK(strcmp(leasebeat_status_name((leasebeat_status_t)99), "unknown") == 0);
    CHECK(strcmp(leasebeat_status_text(LEASEBEAT_ERROR_NULL), "a pointer is NULL") == 0);
    CHECK(strcmp(leasebeat_action_name(LEASEBEAT_ACTION_STOP), "stop") == 0);
    CHECK(strcmp(leasebeat_action_name((leasebeat_action_t)0), "unknown") == 0);
    CHECK(strcmp(leasebeat_operation_name(LEASEBEAT_OPERATION_EXTEND), "extend") == 0);
    CHECK(strcmp(leasebeat_key_name(LEASEBEAT_KEY_SAME), "same") == 0);
    CHECK(strcmp(leasebeat_stop_name(LEASEBEAT_STOP_REMAINING_TTL_ABSENT), "remaining-ttl-absent") == 0);
    CHECK(strcmp(leasebeat_stop_name((leasebeat_stop_t)17), "unknown") == 0);
    CHECK(strcmp(leasebeat_rule_name(LEASEBEAT_RULE_F6), "F6") == 0);
    CHECK(strcmp(leasebeat_rule_name((leasebeat_rule_t)0), "unknown") == 0);
    CHECK(strcmp(leasebeat_error_code_name(LEASEBEAT_CODE_INTERNAL_ERROR), "INTERNAL_ERROR") == 0);
    CHECK(strcmp(leasebeat_error_code_name((leasebeat_error_code_t)255), "unknown") == 0);
}

int main(void)
{
    versions();
    configs();
    addresses();
    events();
    views();
    words();
    answers();
    snapshots();
    tick_counters();
    names();
    puts("every function, used and misused");
    return 0;
}
