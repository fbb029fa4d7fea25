/**
 * @file leasebeat_fleet.hpp
 * @brief leasebeat_fleet.h for C++17: a fleet over words that a vector (or anything else) holds.
 *
 * A thin layer: it owns nothing, allocates nothing and throws nothing; the words must outlive it.
 */
#ifndef LEASEBEAT_FLEET_HPP
#define LEASEBEAT_FLEET_HPP

#include <cstddef>
#include <cstdint>
#include <optional>

#include "leasebeat.hpp"
#include "leasebeat_fleet.h"

namespace leasebeat {

/** Many leases on one timer, in words of the caller's. */
class Fleet {
public:
    /** How many there are of each, as in leasebeat_fleet_size. */
    struct Counts {
        std::uint32_t leases;       /**< how many at most */
        std::uint32_t classes = 1;  /**< how many different configs they share */
        std::uint32_t seconds = 0;  /**< how far ahead beats are planned */
    };
    /** A lease and what to do for it. */
    struct Due {
        std::uint64_t id;              /**< the lease */
        leasebeat_decision_t decision; /**< what to do for it */
    };
    /** A lease and an instant of it. */
    struct At {
        std::uint64_t id; /**< the lease */
        Instant at;       /**< its danger or its fence */
    };

    /** How many words a fleet needs; 0 where there is none of these counts. */
    static std::size_t words(Counts counts) noexcept
    {
        return leasebeat_fleet_size(counts.leases, counts.classes, counts.seconds) / sizeof(std::uint64_t);
    }
    /** Makes an empty fleet in these words, `words(counts)` or more: of a std::vector<std::uint64_t>, its data and size. */
    static Result<Fleet> create(std::uint64_t *words, std::size_t count, Counts counts,
                                const leasebeat_pace_t *pace = nullptr) noexcept
    {
        Fleet fleet(words);
        if (count > SIZE_MAX / sizeof *words)
            return LEASEBEAT_ERROR_SIZE;
        const leasebeat_status_t status = leasebeat_fleet_init(
            fleet.fleet_, count * sizeof *words, counts.leases, counts.classes, counts.seconds, pace);
        if (status != LEASEBEAT_OK)
            return status;
        return fleet;
    }

    /** Adds a config for leases to share. */
    Result<std::uint16_t> add_class(const Config &config) noexcept
    {
        return read<std::uint16_t>(
            [&](std::uint16_t *id) { return leasebeat_fleet_add_class(fleet_, &config.get(), id); });
    }
    /** Adds a lease that has sent nothing. */
    Result<std::uint64_t> insert(std::uint16_t class_id) noexcept
    {
        return read<std::uint64_t>([&](std::uint64_t *id) { return leasebeat_fleet_insert(fleet_, class_id, id); });
    }
    /** Adds a lease that goes on as the heartbeat would. */
    Result<std::uint64_t> adopt(std::uint16_t class_id, const Heartbeat &heartbeat) noexcept
    {
        return read<std::uint64_t>(
            [&](std::uint64_t *id) { return leasebeat_fleet_adopt(fleet_, class_id, heartbeat.get(), id); });
    }
    /** Forgets a lease. */
    leasebeat_status_t remove(std::uint64_t id) noexcept { return leasebeat_fleet_remove(fleet_, id); }
    /** Takes in one event of a lease, and says what to do. An error changes nothing. */
    Result<leasebeat_decision_t> handle(std::uint64_t id, const Event &event, Instant now) noexcept
    {
        return read<leasebeat_decision_t>([&](leasebeat_decision_t *decision) {
            return leasebeat_fleet_handle(fleet_, id, &event.get(), now.count(), decision);
        });
    }
    /** What is due at `now`, in the order of the deadlines; none: nothing more. */
    std::optional<Due> poll(Instant now) noexcept
    {
        Due due{};
        if (leasebeat_fleet_poll(fleet_, now.count(), &due.id, &due.decision) != LEASEBEAT_OK)
            return std::nullopt;
        return due;
    }
    /** When poll has something to say next; none: not before the next event. */
    std::optional<Instant> next_deadline() noexcept
    {
        std::uint64_t ns = 0;
        if (leasebeat_fleet_next_deadline(fleet_, &ns) != LEASEBEAT_OK)
            return std::nullopt;
        return Instant(ns);
    }
    /** The lease behind `after`; behind 0 the first. */
    std::optional<std::uint64_t> next(std::uint64_t after) noexcept
    {
        std::uint64_t id = 0;
        if (leasebeat_fleet_next(fleet_, after, &id) != LEASEBEAT_OK)
            return std::nullopt;
        return id;
    }
    /** The next lease behind `after` whose danger is at `by` or before. */
    std::optional<At> in_danger(Instant by, std::uint64_t after) noexcept
    {
        return scan(leasebeat_fleet_in_danger, by, after);
    }
    /** The next lease behind `after` whose fence is at `by` or before. */
    std::optional<At> fenced(Instant by, std::uint64_t after) noexcept
    {
        return scan(leasebeat_fleet_fenced, by, after);
    }
    /** Writes a copy of a lease over a heartbeat. */
    leasebeat_status_t get(std::uint64_t id, Heartbeat &heartbeat) noexcept
    {
        return leasebeat_fleet_get(fleet_, id, heartbeat.get(), sizeof *heartbeat.get());
    }
    /** What has been counted. */
    leasebeat_fleet_totals_t totals() noexcept
    {
        leasebeat_fleet_totals_t totals{};
        leasebeat_fleet_totals(fleet_, &totals);
        return totals;
    }
    /** The C fleet, for what has no method here. */
    leasebeat_fleet_t *get() noexcept { return fleet_; }

private:
    explicit Fleet(std::uint64_t *words) noexcept : fleet_(reinterpret_cast<leasebeat_fleet_t *>(words)) {}

    template <class T, class F>
    static Result<T> read(F call) noexcept
    {
        T value{};
        const leasebeat_status_t status = call(&value);
        if (status != LEASEBEAT_OK)
            return status;
        return value;
    }
    template <class F>
    std::optional<At> scan(F find, Instant by, std::uint64_t after) noexcept
    {
        std::uint64_t id = 0, ns = 0;
        if (find(fleet_, by.count(), after, &id, &ns) != LEASEBEAT_OK)
            return std::nullopt;
        return At{id, Instant(ns)};
    }

    leasebeat_fleet_t *fleet_;
};

} // namespace leasebeat

#endif // LEASEBEAT_FLEET_HPP
