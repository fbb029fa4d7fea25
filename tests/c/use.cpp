// leasebeat.hpp, as a program in C++17 uses it, without exceptions.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "leasebeat.hpp"

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                   \
        }                                                                   \
    } while (0)

using namespace std::chrono_literals;
using leasebeat::Config;
using leasebeat::Event;
using leasebeat::Heartbeat;
using leasebeat::Instant;
using leasebeat::Millis;

int main()
{
    CHECK(!Heartbeat::create(Config(Millis(0))));
    CHECK(Heartbeat::create(Config(Millis(0))).status() == LEASEBEAT_ERROR_EXTEND_BY_MS);
    CHECK(Heartbeat::create(Config(Millis(1)).max_wait(Millis(0))).status() == LEASEBEAT_ERROR_MAX_WAIT_MS);
    CHECK(std::strstr(Heartbeat::create(Config(Millis(0))).what(), "86400000") != nullptr);

    auto made = Heartbeat::create(Config(Millis(60'000)).request_timeout(Millis(10'000)).clock_resolution(Instant(0)));
    CHECK(made);
    Heartbeat heartbeat = *made;
    CHECK(!heartbeat.fence() && !heartbeat.next_deadline() && !heartbeat.stopped());

    auto begun = heartbeat.handle(Event(LEASEBEAT_EVENT_BEGIN), Instant(0));
    CHECK(begun && begun->action == LEASEBEAT_ACTION_SEND);
    CHECK(heartbeat.handle(Event(LEASEBEAT_EVENT_BEGIN), Instant(0)).status() == LEASEBEAT_ERROR_UNEXPECTED_EVENT);

    leasebeat_event_t answer{};
    answer.kind = LEASEBEAT_EVENT_CREATED;
    answer.remaining_ttl_ms = 60'000;
    answer.present = LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS;
    const Instant sent = 1s, received = 1s + 100ms;
    auto waits = heartbeat.handle(Event(answer).timed(sent, received).of(begun->attempt), received);
    CHECK(waits && waits->action == LEASEBEAT_ACTION_WAIT && waits->wait_ms == 38'900);
    CHECK(heartbeat.fence() == Instant(61s) && heartbeat.danger() == Instant(50s));
    CHECK(heartbeat.lead(received) == Millis(59'900));
    CHECK(heartbeat.is_held_for(59'900ms, received) && !heartbeat.is_held_for(59'901ms, received));

    char text[400];
    CHECK(heartbeat.explain(*waits, text, sizeof text).find("(P4)") != std::string_view::npos);
    CHECK(heartbeat.explain(*waits, text, 5).size() == 4);

    unsigned char bytes[LEASEBEAT_SNAPSHOT_SIZE];
    leasebeat_decision_t first{};
    CHECK(heartbeat.snapshot(bytes, sizeof bytes) == LEASEBEAT_OK);
    auto restored = Heartbeat::restore(bytes, sizeof bytes, Instant(5), first);
    CHECK(restored && first.action == LEASEBEAT_ACTION_SEND && !(*restored).fence());
    bytes[20] ^= 1;
    CHECK(Heartbeat::restore(bytes, sizeof bytes, Instant(5), first).status() == LEASEBEAT_ERROR_SNAPSHOT_CHECKSUM);

    Heartbeat what_if = heartbeat;
    CHECK(what_if.tick(received + 38'900ms).action == LEASEBEAT_ACTION_SEND);
    auto failed = what_if.handle(Event::failed(LEASEBEAT_FAILURE_TIMEOUT).of(2), received + 45s);
    CHECK(failed && failed->rule == LEASEBEAT_RULE_R5);
    CHECK(what_if.stats().failures == 1 && heartbeat.stats().failures == 0);
    CHECK(heartbeat.handle(Event(LEASEBEAT_EVENT_CLOSE), received + 1s)->action == LEASEBEAT_ACTION_STOP);
    CHECK(heartbeat.stopped() == LEASEBEAT_STOP_CLOSED);
    std::puts("the C++ layer");
    return 0;
}
