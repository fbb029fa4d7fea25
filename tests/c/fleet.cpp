// leasebeat_fleet.hpp, as a program in C++17 uses it: a fleet in the words of a vector.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "leasebeat_fleet.hpp"

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                   \
        }                                                                   \
    } while (0)

using leasebeat::Config;
using leasebeat::Event;
using leasebeat::Fleet;
using leasebeat::Heartbeat;
using leasebeat::Instant;
using leasebeat::Millis;

int main()
{
    const Fleet::Counts counts{2, 1, 0};
    CHECK(Fleet::words({0}) == 0);
    std::vector<std::uint64_t> words(Fleet::words(counts));
    CHECK(Fleet::create(words.data(), words.size() - 1, counts).status() == LEASEBEAT_ERROR_SIZE);
    leasebeat_pace_t pace{};
    pace.size = sizeof pace;
    pace.beats_per_second = 1;
    CHECK(Fleet::create(words.data(), words.size(), counts, &pace).status() == LEASEBEAT_ERROR_BEATS_PER_SECOND);
    auto made = Fleet::create(words.data(), words.size(), counts);
    CHECK(made);
    Fleet fleet = *made;

    const Config config = Config(Millis(60'000)).request_timeout(Millis(10'000));
    const auto class_id = fleet.add_class(config);
    CHECK(class_id);
    const auto first = fleet.insert(*class_id);
    const auto single = Heartbeat::create(config);
    CHECK(first && single);
    Heartbeat alone = *single;
    const auto second = fleet.adopt(*class_id, alone);
    CHECK(second && *second != *first && !fleet.insert(*class_id));

    leasebeat_event_t created{};
    created.kind = LEASEBEAT_EVENT_CREATED;
    created.present = LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS;
    created.remaining_ttl_ms = 60'000;
    const Event event = Event(created).timed(Instant(0), Instant(5));
    CHECK(fleet.handle(*first, event, Instant(5)) && alone.handle(event, Instant(5)));
    CHECK(!fleet.poll(Instant(5)));
    const auto due = fleet.next_deadline();
    CHECK(due && *due <= *alone.next_deadline());
    const auto beat = fleet.poll(*due);
    CHECK(beat && beat->id == *first && beat->decision.action == LEASEBEAT_ACTION_SEND);
    const auto fenced = fleet.fenced(Instant(UINT64_MAX), 0);
    CHECK(fenced && fenced->id == *first && fenced->at == *alone.fence());
    CHECK(!fleet.in_danger(Instant(0), 0) && fleet.next(*first) == *second && !fleet.next(*second));
    CHECK(fleet.get(*first, alone) == LEASEBEAT_OK && alone.stats().attempts == 1);
    CHECK(fleet.remove(*first) == LEASEBEAT_OK && fleet.remove(*first) == LEASEBEAT_ERROR_FLEET_ID);
    CHECK(fleet.totals().leases == 1 && fleet.totals().sends == 1);
    std::puts("a fleet in C++");
    return 0;
}
