// The heartbeat of examples/c with leasebeat.hpp: heartbeat URL API_KEY TENANT SECONDS
//
// It ends with 0 if the lease was provably held from the first answer to the last moment of the work.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include <leasebeat.hpp>

#include "http.h"

using namespace std::chrono_literals;
using leasebeat::Event;
using leasebeat::Heartbeat;
using leasebeat::Instant;
using leasebeat::Millis;

namespace {

constexpr Millis ttl = 4s;
// What the kernel budgets for one attempt, and what curl is given: the difference is for noticing the failure.
constexpr Millis timeout = 1s;
constexpr Millis on_the_wire = 800ms;

// One monotonic clock; the one that counts time asleep, where there is one. std::chrono::steady_clock need not be it.
Instant now()
{
#ifdef CLOCK_BOOTTIME
    const clockid_t clock = CLOCK_BOOTTIME;
#else
    const clockid_t clock = CLOCK_MONOTONIC;
#endif
    timespec time{};
    clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

class Host {
public:
    Host(Heartbeat heartbeat, http *client, std::string tenant)
        : heartbeat_(heartbeat), http_(client), tenant_(std::move(tenant)), run_(std::to_string(now().count()))
    {
    }

    // Until `end`, or until the lease can no longer be kept.
    bool keep_alive(Instant end)
    {
        leasebeat_decision_t decision = *heartbeat_.handle(Event(LEASEBEAT_EVENT_BEGIN), now());
        std::uint32_t in_flight = 0;
        while (decision.action != LEASEBEAT_ACTION_STOP) {
            if (decision.action == LEASEBEAT_ACTION_SEND && decision.attempt != in_flight) {
                say(decision);
                in_flight = decision.attempt;
                if (!send(decision))
                    return false;
            }
            const Instant until = std::min(heartbeat_.next_deadline().value_or(end), end), at = now();
            http_poll(http_, until > at ? std::chrono::ceil<Millis>(until - at).count() : 0);
            lapsed_ |= !reservation_.empty() && !heartbeat_.is_held_for(0ms, now());

            http_answer answer{};
            if (http_done(http_, &answer)) {
                const Instant received = now();
                const auto decided = heartbeat_.handle(outcome(answer, decision).timed(sent_, received).of(decision.attempt), received);
                // A late answer to another attempt changes nothing.
                if (!decided && decided.status() != LEASEBEAT_ERROR_STALE_ATTEMPT)
                    return false;
                decision = decided ? *decided : decision;
                if (decision.action == LEASEBEAT_ACTION_WAIT)
                    say(decision);
            } else if (now() >= end) {
                decision = *heartbeat_.handle(Event(LEASEBEAT_EVENT_CLOSE), now());
            } else if (heartbeat_.next_deadline() && now() >= *heartbeat_.next_deadline()) {
                decision = heartbeat_.tick(now());
            }
        }
        say(decision);
        const auto stats = heartbeat_.stats();
        std::printf("%u extensions, %u failures, %s\n", stats.extensions, stats.failures, lapsed_ ? "lapsed" : "0 lapses");
        return decision.reason == LEASEBEAT_STOP_CLOSED && !lapsed_ && stats.extensions > 0;
    }

    bool release()
    {
        const std::string path = "/v1/reservations/" + reservation_ + "/release";
        const std::string body = R"({"idempotency_key":")" + run_ + R"(-release"})";
        if (!http_post(http_, path.c_str(), body.c_str(), timeout.count()))
            return false;
        http_answer answer{};
        while (!http_done(http_, &answer))
            http_poll(http_, 100);
        std::printf("release: %u\n", answer.status);
        return answer.status == 200;
    }

private:
    // Sends what the decision describes. The idempotency key follows from its generation.
    bool send(const leasebeat_decision_t &attempt)
    {
        const std::string key = R"({"idempotency_key":")" + run_ + "-" + std::to_string(attempt.key_generation) + '"';
        std::string path = "/v1/reservations", body;
        if (attempt.operation == LEASEBEAT_OPERATION_CREATE) {
            body = key + R"(,"subject":{"tenant":")" + tenant_ + R"("},"action":{"kind":"example","name":"cpp"},)"
                   + R"("estimate":{"unit":"TOKENS","amount":100},"ttl_ms":)" + std::to_string(ttl.count()) + "}";
        } else {
            path += "/" + reservation_ + "/extend";
            body = key + R"(,"extend_by_ms":)" + std::to_string(attempt.extend_by_ms) + "}";
        }
        sent_ = now();
        return http_post(http_, path.c_str(), body.c_str(), on_the_wire.count()) != 0;
    }

    // What the library makes of an answer.
    Event outcome(const http_answer &got, const leasebeat_decision_t &attempt)
    {
        if (got.outcome != HTTP_ANSWERED)
            return Event::failed(got.outcome == HTTP_TIMED_OUT ? LEASEBEAT_FAILURE_TIMEOUT : LEASEBEAT_FAILURE_CONNECTION);
        leasebeat_answer_t answer{};
        answer.operation = attempt.operation;
        answer.status = got.status;
        answer.body = got.body;
        answer.body_length = got.body_length;
        answer.retry_after = got.retry_after;
        answer.retry_after_length = got.retry_after_length;
        answer.present = got.retry_after != nullptr ? LEASEBEAT_ANSWER_HAS_RETRY_AFTER : 0;
        leasebeat_event_t event{};
        char id[513] = "";
        if (leasebeat_decode(&answer, &event) != LEASEBEAT_OK)
            return Event::failed(LEASEBEAT_FAILURE_AMBIGUOUS);
        if (leasebeat_decode_reservation_id(&answer, id, sizeof id, nullptr) == LEASEBEAT_OK)
            reservation_ = id;
        return Event(event);
    }

    void say(const leasebeat_decision_t &decision) const
    {
        char why[400];
        const std::string_view text = heartbeat_.explain(decision, why, sizeof why);
        std::printf("%s: %.*s\n", leasebeat_action_name(decision.action), static_cast<int>(text.size()), text.data());
    }

    Heartbeat heartbeat_;
    http *http_;
    std::string tenant_;
    std::string run_;
    std::string reservation_;
    Instant sent_{};
    bool lapsed_ = false;
};

} // namespace

int main(int count, char **arguments)
{
    if (count != 5) {
        std::fprintf(stderr, "usage: heartbeat URL API_KEY TENANT SECONDS\n");
        return 2;
    }
    const auto heartbeat = Heartbeat::create(leasebeat::Config(ttl).request_timeout(timeout));
    if (!heartbeat) {
        std::fprintf(stderr, "config: %s\n", heartbeat.what());
        return 1;
    }
    const std::unique_ptr<http, void (*)(http *)> client(http_open(arguments[1], arguments[2]), http_close);
    if (!client)
        return 1;
    Host host(*heartbeat, client.get(), arguments[3]);
    const auto work = std::chrono::duration_cast<Instant>(std::chrono::duration<double>(std::atof(arguments[4])));
    const bool kept = host.keep_alive(now() + work);
    return host.release() && kept ? 0 : 1;
}
