/**
 * @file leasebeat.hpp
 * @brief leasebeat.h for C++17: always initialised, typed time, no exceptions, nothing allocated.
 *
 * A thin layer: enumerations and structs are those of leasebeat.h, and so are the rules of memory, threads and time.
 */
#ifndef LEASEBEAT_HPP
#define LEASEBEAT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "leasebeat.h"

namespace leasebeat {

/** A clock's reading: the time since any fixed origin of ONE monotonic clock. */
using Instant = std::chrono::duration<std::uint64_t, std::nano>;
/** A duration of the protocol. */
using Millis = std::chrono::duration<std::uint64_t, std::milli>;

/** A value, or the status that says why there is none. */
template <class T>
class Result {
public:
    /** A value. */
    constexpr Result(T value) noexcept : value_(value), status_(LEASEBEAT_OK) {}
    /** No value, and why. */
    constexpr Result(leasebeat_status_t status) noexcept : status_(status) {}

    /** LEASEBEAT_OK exactly where there is a value. */
    constexpr leasebeat_status_t status() const noexcept { return status_; }
    /** Whether there is a value. */
    constexpr explicit operator bool() const noexcept { return value_.has_value(); }
    /** The value; only where there is one. */
    constexpr const T &operator*() const noexcept { return *value_; }
    /** The value; only where there is one. */
    constexpr const T *operator->() const noexcept { return &*value_; }
    /** What the status means, in words. */
    const char *what() const noexcept { return leasebeat_status_text(status_); }

private:
    std::optional<T> value_;
    leasebeat_status_t status_;
};

/** A configuration: the defaults, with what is set. Each setter gives the object back. */
class Config {
public:
    /** Each extension asks for so long: 1 ms to 24 h. */
    explicit Config(Millis extend_by) noexcept { leasebeat_config_init(&config_, sizeof config_, extend_by.count()); }

    /** How long one whole attempt may take until its failure is reported. */
    Config &request_timeout(Millis timeout) noexcept
    {
        config_.request_timeout_ms = timeout.count();
        config_.present |= LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS;
        return *this;
    }
    /** By how much two readings of the clock may understate the time between them. */
    Config &clock_resolution(Instant resolution) noexcept
    {
        config_.clock_resolution_ns = resolution.count();
        return *this;
    }
    /** The longest wait that the host's timer can take. */
    Config &max_wait(Millis wait) noexcept
    {
        config_.max_wait_ms = wait.count();
        config_.present |= LEASEBEAT_CONFIG_HAS_MAX_WAIT_MS;
        return *this;
    }
    /** What to do with a server that does not say how long the lease still lives. */
    Config &fallback(leasebeat_fallback_t fallback) noexcept
    {
        config_.fallback = fallback;
        return *this;
    }
    /** The C struct. */
    const leasebeat_config_t &get() const noexcept { return config_; }

private:
    leasebeat_config_t config_;
};

/** An event to hand over: made by the functions below it, or of what leasebeat_decode gave. */
class Event {
public:
    /** An event without anything optional. */
    explicit Event(leasebeat_event_kind_t kind) noexcept : event_() { event_.kind = kind; }
    /** An event of C's. */
    explicit Event(const leasebeat_event_t &event) noexcept : event_(event) {}

    /** A failure without an answer: LEASEBEAT_FAILURE_TIMEOUT, _CONNECTION or _AMBIGUOUS. */
    static Event failed(leasebeat_failure_t failure) noexcept
    {
        Event event(LEASEBEAT_EVENT_FAILED);
        event.event_.failure = failure;
        return event;
    }
    /** Names the attempt that it answers, so that a late answer can do no harm. */
    Event &of(std::uint32_t attempt) noexcept
    {
        event_.attempt = attempt;
        event_.present |= LEASEBEAT_EVENT_HAS_ATTEMPT;
        return *this;
    }
    /** Of a success, its round trip: from just before the send to the instant it is handed over with. No change to
        what has none, and none where it ends before it began. */
    Event &timed(Instant sent, Instant received) noexcept
    {
        const bool success = event_.kind == LEASEBEAT_EVENT_CREATED || event_.kind == LEASEBEAT_EVENT_EXTENDED;
        if (success && received >= sent) {
            event_.rtt_ns = (received - sent).count();
            event_.present |= LEASEBEAT_EVENT_HAS_RTT_NS;
        }
        return *this;
    }
    /** The C struct. */
    const leasebeat_event_t &get() const noexcept { return event_; }

private:
    leasebeat_event_t event_;
};

/** One lease's heartbeat: plain data, which may be copied to ask "what if". */
class Heartbeat {
public:
    /** A heartbeat that has sent nothing, or the status that names the setting out of range. */
    static Result<Heartbeat> create(const Config &config) noexcept
    {
        Heartbeat heartbeat;
        const leasebeat_status_t status =
            leasebeat_init(&heartbeat.heartbeat_, sizeof heartbeat.heartbeat_, &config.get());
        if (status != LEASEBEAT_OK)
            return status;
        return heartbeat;
    }
    /** A snapshot's heartbeat, on a clock that reads `now`; `decision` is what it wants done first (T6). */
    static Result<Heartbeat> restore(const void *snapshot, std::size_t size, Instant now,
                                     leasebeat_decision_t &decision) noexcept
    {
        Heartbeat heartbeat;
        const leasebeat_status_t status = leasebeat_restore(
            &heartbeat.heartbeat_, sizeof heartbeat.heartbeat_, snapshot, size, now.count(), &decision);
        if (status != LEASEBEAT_OK)
            return status;
        return heartbeat;
    }

    /** Takes in one event that happened at `now`, and says what to do. An error changes nothing. */
    Result<leasebeat_decision_t> handle(const Event &event, Instant now) noexcept
    {
        return read<leasebeat_decision_t>([&](leasebeat_decision_t *decision) {
            return leasebeat_handle(&heartbeat_, &event.get(), now.count(), decision);
        });
    }
    /** What is due at `now`. Early and late calls are fine, and it never fails. */
    leasebeat_decision_t tick(Instant now) noexcept
    {
        leasebeat_decision_t decision{};
        leasebeat_tick(&heartbeat_, now.count(), &decision);
        return decision;
    }
    /** When there is next something to do; none: not before the next event. */
    std::optional<Instant> next_deadline() const noexcept
    {
        return optional<Instant>([&](std::uint64_t *ns) { return leasebeat_next_deadline(&heartbeat_, ns); });
    }
    /** The instant until which the lease is provably held. */
    std::optional<Instant> fence() const noexcept
    {
        return optional<Instant>([&](std::uint64_t *ns) { return leasebeat_fence(&heartbeat_, ns); });
    }
    /** The last instant at which a failure can still be recovered. */
    std::optional<Instant> danger() const noexcept
    {
        return optional<Instant>([&](std::uint64_t *ns) { return leasebeat_danger(&heartbeat_, ns); });
    }
    /** How long the lease is provably still held at `now`. */
    Millis lead(Instant now) const noexcept
    {
        std::uint64_t lead_ms = 0;
        leasebeat_lead(&heartbeat_, now.count(), &lead_ms);
        return Millis(lead_ms);
    }
    /** Whether the lease is provably held from `now` for `duration` more. */
    bool is_held_for(Millis duration, Instant now) const noexcept
    {
        bool held = false;
        leasebeat_held_for(&heartbeat_, duration.count(), now.count(), &held);
        return held;
    }
    /** Why it has stopped, once it has. */
    std::optional<leasebeat_stop_t> stopped() const noexcept
    {
        leasebeat_stop_t reason{};
        if (leasebeat_stopped(&heartbeat_, &reason) != LEASEBEAT_OK)
            return std::nullopt;
        return reason;
    }
    /** What has been counted. */
    leasebeat_stats_t stats() const noexcept
    {
        leasebeat_stats_t stats{};
        leasebeat_stats(&heartbeat_, &stats);
        return stats;
    }
    /** Why the last decision was made, in the buffer: what of it fits. */
    std::string_view explain(const leasebeat_decision_t &decision, char *buffer, std::size_t capacity) const noexcept
    {
        std::size_t length = 0;
        if (leasebeat_explain(&heartbeat_, &decision, buffer, capacity, &length) != LEASEBEAT_OK || capacity == 0)
            return {};
        return std::string_view(buffer);
    }
    /** Writes LEASEBEAT_SNAPSHOT_SIZE bytes. */
    leasebeat_status_t snapshot(void *bytes, std::size_t size) const noexcept
    {
        return leasebeat_snapshot(&heartbeat_, bytes, size);
    }
    /** The C handle, for what has no method here. */
    leasebeat_heartbeat_t *get() noexcept { return &heartbeat_; }
    /** The C handle, for what has no method here. */
    const leasebeat_heartbeat_t *get() const noexcept { return &heartbeat_; }

private:
    Heartbeat() noexcept : heartbeat_() {}

    template <class T, class F>
    static Result<T> read(F call) noexcept
    {
        T value{};
        const leasebeat_status_t status = call(&value);
        if (status != LEASEBEAT_OK)
            return status;
        return value;
    }
    template <class T, class F>
    static std::optional<T> optional(F call) noexcept
    {
        std::uint64_t value = 0;
        if (call(&value) != LEASEBEAT_OK)
            return std::nullopt;
        return T(value);
    }

    leasebeat_heartbeat_t heartbeat_;
};

} // namespace leasebeat

#endif // LEASEBEAT_HPP
