/* A thousand leases in one fleet, through beats, lost answers, refusals and removals, beside a heartbeat each: every
   decision is byte for byte what the single one decides, and comes when it does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leasebeat_fleet.h"

#define MS UINT64_C(1000000)
#define PROVED \
    (LEASEBEAT_EVENT_HAS_RTT_NS | LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS | LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS)

enum { LEASES = 1000, CLASSES = 2, STEP_MS = 250, STEPS = 3000 };

/* A lease as it is alone, and the attempt that the server has not answered yet. */
struct single {
    uint64_t id;
    uint64_t answer_ns; /* 0: nothing is in flight */
    leasebeat_heartbeat_t heartbeat;
    leasebeat_decision_t sent;
    uint64_t sent_ns;
    uint16_t class_id;
};

static struct single singles[LEASES];
static leasebeat_config_t configs[CLASSES];
static uint64_t state = 88172645463325252u;
static unsigned long decisions, sends, stale, removed;

#define CHECK(held) \
    do { \
        if (!(held)) { \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #held); \
            exit(1); \
        } \
    } while (0)

static uint64_t drawn(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % below;
}

/* All that can be told of two heartbeats without their words, whose padding is anyone's. */
static void same(const leasebeat_heartbeat_t *one, const leasebeat_heartbeat_t *other)
{
    unsigned char snapshots[2][LEASEBEAT_SNAPSHOT_SIZE];
    uint64_t ns[2] = {0, 0};
    CHECK(leasebeat_snapshot(one, snapshots[0], sizeof snapshots[0]) == LEASEBEAT_OK);
    CHECK(leasebeat_snapshot(other, snapshots[1], sizeof snapshots[1]) == LEASEBEAT_OK);
    CHECK(memcmp(snapshots[0], snapshots[1], sizeof snapshots[0]) == 0);
    CHECK(leasebeat_next_deadline(one, &ns[0]) == leasebeat_next_deadline(other, &ns[1]) && ns[0] == ns[1]);
    CHECK(leasebeat_danger(one, &ns[0]) == leasebeat_danger(other, &ns[1]) && ns[0] == ns[1]);
    CHECK(leasebeat_fence(one, &ns[0]) == leasebeat_fence(other, &ns[1]) && ns[0] == ns[1]);
}

/* A decision of the fleet beside that of the single one; what was sent gets its answer some time. */
static void decided(leasebeat_fleet_t *fleet, struct single *single, const leasebeat_decision_t *of_fleet,
                    const leasebeat_decision_t *alone, uint64_t now_ns)
{
    leasebeat_heartbeat_t copy;
    CHECK(memcmp(of_fleet, alone, sizeof *alone) == 0);
    CHECK(leasebeat_fleet_get(fleet, single->id, &copy, sizeof copy) == LEASEBEAT_OK);
    same(&copy, &single->heartbeat);
    decisions++;
    if (alone->action == LEASEBEAT_ACTION_SEND) {
        sends++;
        single->sent = *alone;
        single->sent_ns = now_ns;
        /* One of 40 never comes: the timeout is what the timer reports. */
        single->answer_ns = drawn(40) == 0 ? 0 : now_ns + (1 + drawn(400)) * MS;
    }
}

static void told(leasebeat_fleet_t *fleet, struct single *single, const leasebeat_event_t *event, uint64_t now_ns)
{
    leasebeat_decision_t of_fleet, alone;
    memset(&of_fleet, 0x55, sizeof of_fleet);
    memset(&alone, 0x55, sizeof alone);
    const leasebeat_status_t status = leasebeat_handle(&single->heartbeat, event, now_ns, &alone);
    CHECK(leasebeat_fleet_handle(fleet, single->id, event, now_ns, &of_fleet) == status);
    if (status == LEASEBEAT_OK)
        decided(fleet, single, &of_fleet, &alone, now_ns);
    else
        CHECK(memcmp(&of_fleet, &alone, sizeof alone) == 0);
}

/* A new lease in the place of an old one: some are adopted. */
static void born(leasebeat_fleet_t *fleet, struct single *single, uint64_t now_ns)
{
    leasebeat_event_t event = {0};
    single->class_id = (uint16_t)drawn(CLASSES);
    single->answer_ns = 0;
    const leasebeat_config_t *config = &configs[single->class_id];
    CHECK(leasebeat_init(&single->heartbeat, sizeof single->heartbeat, config) == LEASEBEAT_OK);
    event.kind = LEASEBEAT_EVENT_CREATED;
    event.present = PROVED;
    event.rtt_ns = (1 + drawn(300)) * MS;
    event.remaining_ttl_ms = config->extend_by_ms - drawn(1000);
    event.expires_at_ms = now_ns / MS + event.remaining_ttl_ms;
    const uint64_t before = single->id;
    if (drawn(3) == 0) {
        leasebeat_decision_t decision;
        CHECK(leasebeat_handle(&single->heartbeat, &event, now_ns, &decision) == LEASEBEAT_OK);
        CHECK(leasebeat_fleet_adopt(fleet, single->class_id, &single->heartbeat, &single->id) == LEASEBEAT_OK);
    } else {
        CHECK(leasebeat_fleet_insert(fleet, single->class_id, &single->id) == LEASEBEAT_OK);
        told(fleet, single, &event, now_ns);
    }
    CHECK(single->id != 0 && single->id != before);
}

static void died(leasebeat_fleet_t *fleet, struct single *single, uint64_t now_ns)
{
    leasebeat_decision_t decision;
    const leasebeat_event_t close = {.kind = LEASEBEAT_EVENT_CLOSE};
    leasebeat_heartbeat_t copy;
    CHECK(leasebeat_fleet_remove(fleet, single->id) == LEASEBEAT_OK);
    CHECK(leasebeat_fleet_remove(fleet, single->id) == LEASEBEAT_ERROR_FLEET_ID);
    CHECK(leasebeat_fleet_get(fleet, single->id, &copy, sizeof copy) == LEASEBEAT_ERROR_FLEET_ID);
    /* The answer to what was in flight comes late. */
    CHECK(leasebeat_fleet_handle(fleet, single->id, &close, now_ns, &decision) == LEASEBEAT_ERROR_FLEET_ID);
    stale += single->answer_ns != 0;
    removed++;
    born(fleet, single, now_ns);
}

static void answered(leasebeat_fleet_t *fleet, struct single *single, uint64_t now_ns)
{
    leasebeat_event_t event = {0};
    const uint64_t luck = drawn(30);
    single->answer_ns = 0;
    event.present = LEASEBEAT_EVENT_HAS_ATTEMPT;
    event.attempt = single->sent.attempt;
    if (luck > 2) {
        event.kind = LEASEBEAT_EVENT_EXTENDED;
        event.present |= PROVED;
        event.rtt_ns = now_ns - single->sent_ns;
        event.remaining_ttl_ms = configs[single->class_id].extend_by_ms;
        event.expires_at_ms = now_ns / MS + event.remaining_ttl_ms;
    } else {
        event.kind = LEASEBEAT_EVENT_FAILED;
        event.failure = luck == 0 ? LEASEBEAT_FAILURE_CONNECTION : LEASEBEAT_FAILURE_HTTP;
        event.http_status = luck == 0 ? 0 : luck == 1 ? 503 : 429;
        if (luck == 2) {
            event.present |= LEASEBEAT_EVENT_HAS_RETRY_AFTER_MS;
            event.retry_after_ms = 1000;
        }
    }
    told(fleet, single, &event, now_ns);
}

static struct single *named(uint64_t id)
{
    /* The half of an id that is its place in memory: an implementation's detail, and only to be fast here. */
    static struct single *places[LEASES];
    struct single **place = &places[(uint32_t)id % LEASES];
    for (int i = 0; (*place == NULL || (*place)->id != id) && i < LEASES; i++)
        *place = &singles[i];
    CHECK((*place)->id == id);
    return *place;
}

static void polled(leasebeat_fleet_t *fleet, uint64_t now_ns)
{
    leasebeat_decision_t of_fleet, alone;
    uint64_t id, deadline_ns, last_ns = 0;
    leasebeat_status_t status;
    while ((status = leasebeat_fleet_poll(fleet, now_ns, &id, &of_fleet)) == LEASEBEAT_OK) {
        struct single *single = named(id);
        CHECK(leasebeat_next_deadline(&single->heartbeat, &deadline_ns) == LEASEBEAT_OK);
        /* In the order of the deadlines, of which some act in the millisecond before. */
        CHECK(deadline_ns + MS > last_ns && deadline_ns < now_ns + MS);
        last_ns = deadline_ns;
        CHECK(leasebeat_tick(&single->heartbeat, now_ns, &alone) == LEASEBEAT_OK);
        decided(fleet, single, &of_fleet, &alone, now_ns);
    }
    CHECK(status == LEASEBEAT_NOTHING_DUE);
}

/* Nobody was forgotten: what is next in the fleet is what is next alone. */
static void nobody_waits(leasebeat_fleet_t *fleet, uint64_t now_ns)
{
    uint64_t first_ns = UINT64_MAX, deadline_ns, next_ns;
    for (int i = 0; i < LEASES; i++) {
        if (leasebeat_next_deadline(&singles[i].heartbeat, &deadline_ns) == LEASEBEAT_OK && deadline_ns < first_ns)
            first_ns = deadline_ns;
    }
    CHECK(leasebeat_fleet_next_deadline(fleet, &next_ns) == LEASEBEAT_OK);
    CHECK(next_ns > now_ns && next_ns <= first_ns && next_ns + MS > first_ns);
}

/* The scans find what a look at every single one finds. */
static void scanned(leasebeat_fleet_t *fleet, uint64_t by_ns)
{
    uint64_t id = 0, at_ns, alone_ns;
    int found[3] = {0, 0, 0}, expected[2] = {0, 0};
    while (leasebeat_fleet_next(fleet, id, &id) == LEASEBEAT_OK)
        found[2] += named(id)->id == id;
    for (id = 0; leasebeat_fleet_in_danger(fleet, by_ns, id, &id, &at_ns) == LEASEBEAT_OK; found[0]++)
        CHECK(leasebeat_danger(&named(id)->heartbeat, &alone_ns) == LEASEBEAT_OK && alone_ns == at_ns);
    for (id = 0; leasebeat_fleet_fenced(fleet, by_ns, id, &id, &at_ns) == LEASEBEAT_OK; found[1]++)
        CHECK(leasebeat_fence(&named(id)->heartbeat, &alone_ns) == LEASEBEAT_OK && alone_ns == at_ns);
    for (int i = 0; i < LEASES; i++) {
        expected[0] += leasebeat_danger(&singles[i].heartbeat, &at_ns) == LEASEBEAT_OK && at_ns <= by_ns;
        expected[1] += leasebeat_fence(&singles[i].heartbeat, &at_ns) == LEASEBEAT_OK && at_ns <= by_ns;
    }
    CHECK(found[0] == expected[0] && found[1] == expected[1] && found[2] == LEASES);
}

static void counted(leasebeat_fleet_t *fleet)
{
    leasebeat_fleet_totals_t totals;
    uint64_t stopped = 0, ended = 0;
    leasebeat_stop_t reason;
    CHECK(leasebeat_fleet_totals(fleet, &totals) == LEASEBEAT_OK);
    for (int i = 0; i < LEASEBEAT_FLEET_STOPS; i++)
        stopped += totals.stopped[i];
    for (int i = 0; i < LEASES; i++)
        ended += leasebeat_stopped(&singles[i].heartbeat, &reason) == LEASEBEAT_OK;
    CHECK(totals.leases == LEASES && totals.inserted == LEASES + removed && totals.removed == removed);
    CHECK(totals.sends == sends && totals.early == 0 && stopped >= ended && totals.stopped[0] == 0);
    /* It ran into everything that it is there to try. */
    CHECK(decisions > 50000 && sends > 20000 && stale > 50 && removed > 500 && totals.stopped[LEASEBEAT_STOP_CLOSED] > 20);
}

/* What a full fleet and a foreign class are. Nothing changes by them, or what comes after would not be as alone. */
static void refused(leasebeat_fleet_t *fleet, size_t bytes)
{
    leasebeat_fleet_totals_t before, after;
    uint64_t id = 7;
    uint16_t class_id = 7;
    CHECK(leasebeat_fleet_totals(fleet, &before) == LEASEBEAT_OK);
    CHECK(leasebeat_fleet_insert(fleet, 0, &id) == LEASEBEAT_ERROR_FLEET_FULL);
    CHECK(leasebeat_fleet_insert(fleet, CLASSES, &id) == LEASEBEAT_ERROR_FLEET_CLASS);
    CHECK(leasebeat_fleet_add_class(fleet, &configs[0], &class_id) == LEASEBEAT_ERROR_FLEET_CLASSES_FULL);
    CHECK(leasebeat_fleet_next(fleet, 0, (uint64_t *)fleet) == LEASEBEAT_ERROR_OVERLAP);
    CHECK(leasebeat_fleet_init(fleet, bytes - 1, LEASES, CLASSES, 0, NULL) == LEASEBEAT_ERROR_SIZE);
    CHECK(leasebeat_fleet_totals(fleet, &after) == LEASEBEAT_OK);
    CHECK(id == 7 && class_id == 7 && memcmp(&before, &after, sizeof after) == 0);
    CHECK(strcmp(leasebeat_status_name(LEASEBEAT_ERROR_FLEET_FULL), "fleet-full") == 0);
}

int main(void)
{
    const size_t bytes = leasebeat_fleet_size(LEASES, CLASSES, 0);
    CHECK(bytes > 160 * LEASES && bytes < 161 * LEASES);
    /* As it comes, and to the byte: a sanitizer sees what is read of it too early, or behind it. */
    leasebeat_fleet_t *fleet = malloc(bytes), *other = malloc(bytes);
    CHECK(fleet != NULL && other != NULL);
    CHECK(leasebeat_fleet_init(fleet, bytes, LEASES, CLASSES, 0, NULL) == LEASEBEAT_OK);
    for (uint16_t i = 0; i < CLASSES; i++) {
        uint16_t class_id;
        CHECK(leasebeat_config_init(&configs[i], sizeof configs[i], i == 0 ? 60000 : 30000) == LEASEBEAT_OK);
        configs[i].request_timeout_ms = i == 0 ? 10000 : 5000;
        configs[i].present |= LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS;
        CHECK(leasebeat_fleet_add_class(fleet, &configs[i], &class_id) == LEASEBEAT_OK && class_id == i);
    }
    uint64_t now_ns = 1000 * MS;
    for (int i = 0; i < LEASES; i++)
        born(fleet, &singles[i], now_ns += drawn(5 * MS));
    refused(fleet, bytes);
    for (int step = 0; step < STEPS; step++) {
        now_ns += STEP_MS * MS;
        for (int i = 0; i < LEASES; i++) {
            struct single *single = &singles[i];
            const leasebeat_event_t event = {.kind = drawn(2) ? LEASEBEAT_EVENT_CLOSE : LEASEBEAT_EVENT_TIMING_LOST};
            if (single->answer_ns != 0 && single->answer_ns <= now_ns)
                answered(fleet, single, now_ns);
            if (drawn(20000) == 0)
                told(fleet, single, &event, now_ns);
            if (drawn(single->answer_ns == 0 ? 2000 : 100) == 0)
                died(fleet, single, now_ns);
        }
        polled(fleet, now_ns);
        nobody_waits(fleet, now_ns);
        if (step % 100 == 0) {
            /* A fleet has no address in it: its bytes go on elsewhere. */
            leasebeat_fleet_t *here = fleet;
            memcpy(other, fleet, bytes);
            memset(fleet, 0xee, bytes);
            fleet = other;
            other = here;
            uint64_t ns;
            CHECK(leasebeat_fleet_next_deadline(other, &ns) == LEASEBEAT_ERROR_UNINITIALIZED);
            scanned(fleet, now_ns + 20000 * MS);
        }
    }
    counted(fleet);
    printf("%lu decisions of %d leases, %lu attempts, %lu removed, %lu of them in flight: as of single heartbeats\n",
           decisions, LEASES, sends, removed, stale);
    free(fleet);
    free(other);
    return 0;
}
