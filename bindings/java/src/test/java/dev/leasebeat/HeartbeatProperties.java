package dev.leasebeat;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** Bad input is named and changes nothing, whatever it is. */
class HeartbeatProperties {
    private static final Settings SETTINGS = Settings.of(60_000).withRequestTimeoutMs(10_000);
    private static final int TRIES = 300;

    @Property(tries = TRIES)
    void aNegativeAmountIsRefusedByName(@ForAll @LongRange(min = Long.MIN_VALUE, max = -1) long negative) {
        OptionalLong none = OptionalLong.empty();
        OptionalLong bad = OptionalLong.of(negative);
        named("rttNs", negative, () -> new Success(bad, none, none));
        named("remainingTtlMs", negative, () -> new Success(none, bad, none));
        named("expiresAtMs", negative, () -> new Success(none, none, bad));
        named("retryAfterMs", negative, () -> new Failure.Http(429, null, bad));
        named("attempt", negative, () -> new Outcome.Denied(negative));
        named("extendByMs", negative, () -> Settings.of(negative));
        named("requestTimeoutMs", negative, () -> SETTINGS.withRequestTimeoutMs(negative));
        named("maxWaitMs", negative, () -> SETTINGS.withMaxWaitMs(negative));
        named("clockResolutionNs", negative, () -> SETTINGS.withClockResolutionNs(negative));
        named("leadMs", negative, () -> Plan.of(SETTINGS, negative, 0));
        named("maxRttMs", negative, () -> Plan.of(SETTINGS, 0, negative));
        try (Heartbeat heartbeat = new Heartbeat(SETTINGS)) {
            named("durationMs", negative, () -> heartbeat.heldFor(negative, 0));
        }
    }

    @Property(tries = TRIES)
    void anAmountThatIsTooLargeIsRefusedByName(@ForAll @LongRange(min = 10_000_000_001L, max = Long.MAX_VALUE) long large) {
        named("extendByMs", large, () -> Settings.of(large));
        named("clockResolutionNs", large, () -> SETTINGS.withClockResolutionNs(large));
        named("attempt", large, () -> new Outcome.Denied(large));
        int status = 65_536 + (int) (large % 1_000_000);
        named("status", status, () -> new Failure.Http(status));
        named("status", status, () -> Leasebeat.decode(Operation.EXTEND, status, null, new byte[0], UnknownKeys.REJECT));
    }

    private static void named(String field, long value, Runnable call) {
        InvalidValueException error = assertThrows(InvalidValueException.class, call::run);
        assertEquals(field, error.field());
        assertTrue(error.getMessage().startsWith(field + " is " + value + "; it must be from "), error.getMessage());
    }

    @Example
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> new Success(null, OptionalLong.empty(), OptionalLong.empty()));
        assertThrows(NullPointerException.class, () -> new Outcome.Failed(null));
        assertThrows(NullPointerException.class, () -> new Outcome.Created(null, 0));
        assertThrows(NullPointerException.class, () -> new Heartbeat(null));
        assertThrows(NullPointerException.class, () -> SETTINGS.withFallback(null));
        assertThrows(NullPointerException.class, () -> Leasebeat.parseRetryAfter(null));
        assertThrows(NullPointerException.class, () -> Leasebeat.classify(Operation.EXTEND, null));
        assertThrows(NullPointerException.class, () -> Heartbeat.restore(null, 0));
        Heartbeat heartbeat = new Heartbeat(SETTINGS);
        assertThrows(NullPointerException.class, () -> heartbeat.handle(null, 0));
        heartbeat.handle(Event.Signal.BEGIN, 0);
    }

    @Provide
    Arbitrary<Event> events() {
        Arbitrary<OptionalLong> amounts = Arbitraries.longs().between(0, Long.MAX_VALUE).map(OptionalLong::of)
                .injectNull(0.2).map(value -> value == null ? OptionalLong.empty() : value);
        Arbitrary<Long> attempts = Arbitraries.longs().between(0, 4);
        Arbitrary<Success> successes = Combinators.combine(amounts, amounts, amounts).as(Success::new);
        Arbitrary<Failure> failures = Arbitraries.oneOf(
                Arbitraries.of(Failure.Unproven.values()),
                Combinators.combine(Arbitraries.integers().between(0, 65_535),
                        Arbitraries.of(ErrorCode.class).injectNull(0.5), amounts).as(Failure.Http::new));
        return Arbitraries.oneOf(
                Arbitraries.of(Event.Signal.BEGIN, Event.Signal.TICK, Event.Signal.TICK, Event.Signal.TIMING_LOST),
                Combinators.combine(successes, attempts).as(Outcome.Created::new),
                Combinators.combine(successes, attempts).as(Outcome.Extended::new),
                Combinators.combine(failures, attempts).as((failure, attempt) -> new Outcome.Failed(failure, attempt, null)),
                attempts.map(Outcome.Denied::new));
    }

    /** L2: what cannot happen now changes nothing; all questions have answers at any time. */
    @Property(tries = 1_000)
    void aMisuseChangesNothing(
            @ForAll("sequences") List<Event> sequence, @ForAll @LongRange(min = 0) long start) {
        try (Heartbeat heartbeat = new Heartbeat(SETTINGS)) {
            long now = start;
            for (Event event : sequence) {
                List<Object> before = all(heartbeat, now);
                byte[] snapshot = heartbeat.snapshot();
                try {
                    heartbeat.handle(event, now);
                } catch (MisuseException error) {
                    assertEquals(before, all(heartbeat, now));
                    assertArrayEquals(snapshot, heartbeat.snapshot());
                }
                now += 700_000_000;
            }
        }
    }

    @Provide
    Arbitrary<List<Event>> sequences() {
        return events().list().ofMinSize(1).ofMaxSize(12);
    }

    private static List<Object> all(Heartbeat heartbeat, long now) {
        List<Object> all = new ArrayList<>();
        all.add(heartbeat.fence());
        all.add(heartbeat.danger());
        all.add(heartbeat.nextDeadline());
        all.add(heartbeat.lead(now));
        all.add(heartbeat.heldFor(1_000, now));
        all.add(heartbeat.inFlight());
        all.add(heartbeat.stopped());
        all.add(heartbeat.stats());
        all.add(heartbeat.plan());
        return all;
    }

    /** A snapshot is itself, or it is refused. */
    @Property(tries = TRIES)
    void anAlteredSnapshotIsRefused(@ForAll("sequences") List<Event> sequence, @ForAll int position, @ForAll byte value) {
        Heartbeat heartbeat = new Heartbeat(SETTINGS);
        for (Event event : sequence) {
            try {
                heartbeat.handle(event, 5);
            } catch (MisuseException error) {
                // The next one.
            }
        }
        byte[] snapshot = heartbeat.snapshot();
        Heartbeat.Restored restored = Heartbeat.restore(snapshot, 77);
        assertEquals(heartbeat.stats().failures(), restored.heartbeat().stats().failures());
        int at = Math.floorMod(position, snapshot.length);
        byte[] altered = snapshot.clone();
        altered[at] = value;
        if (altered[at] != snapshot[at]) {
            assertThrows(SnapshotException.class, () -> Heartbeat.restore(altered, 77));
        }
    }

    @Property(tries = TRIES)
    void bytesThatAreNoSnapshotAreRefused(@ForAll byte[] bytes) {
        assertThrows(SnapshotException.class, () -> Heartbeat.restore(bytes, 0));
    }

    /** W4: an answer decodes to something, whatever its bytes are. */
    @Property(tries = TRIES)
    void anyAnswerDecodes(@ForAll byte[] body, @ForAll String header, @ForAll Operation operation) {
        for (int status : new int[] {200, 202, 301, 409, 429, 503}) {
            Decoded decoded = Leasebeat.decode(operation, status, header, body, UnknownKeys.REJECT);
            Outcome.Failed failed = (Outcome.Failed) decoded.outcome();
            assertEquals(status / 100 == 2, failed.failure() == Failure.Unproven.AMBIGUOUS);
            if (failed.failure() instanceof Failure.Http http) assertEquals(status, http.status());
        }
    }

    /** C5: digits with blanks around them, and nothing else. */
    @Property(tries = TRIES)
    void aRetryAfterIsSeconds(@ForAll @LongRange(min = 0, max = 9_000_000_000_000_000L) long seconds, @ForAll char other) {
        assertEquals(OptionalLong.of(seconds * 1_000), Leasebeat.parseRetryAfter(" \t" + seconds + " "));
        boolean fine = other >= '0' && other <= '9' || other == ' ' || other == '\t';
        if (!fine) assertEquals(OptionalLong.empty(), Leasebeat.parseRetryAfter("1" + other));
    }

    @Example
    void aClosedHeartbeatSaysSo() {
        Heartbeat heartbeat = new Heartbeat(SETTINGS);
        heartbeat.close();
        heartbeat.close();
        List<Runnable> uses = List.of(
                () -> heartbeat.tick(0), () -> heartbeat.handle(Event.Signal.BEGIN, 0), heartbeat::fence,
                heartbeat::snapshot, heartbeat::explain, () -> heartbeat.lead(0));
        for (Runnable use : uses) {
            assertEquals(
                    "this heartbeat is closed", assertThrows(IllegalStateException.class, use::run).getMessage());
        }
    }

    @Example
    void decisionsAreExplained() {
        Heartbeat heartbeat = new Heartbeat(SETTINGS);
        assertThrows(IllegalStateException.class, heartbeat::explain);
        heartbeat.handle(new Outcome.Created(new Success(OptionalLong.of(1), OptionalLong.of(60_000), OptionalLong.of(1)), 0), 9);
        assertEquals("wait 38999 ms: a beat is due when the lead has shrunk to the retry reserve (P4)", heartbeat.describe());
        assertTrue(heartbeat.explain().contains("P4") && heartbeat.explain().contains("59999"), heartbeat.explain());
        assertEquals(OptionalLong.of(59_999), heartbeat.numbers().orElseThrow().leadMs());
        assertEquals(OptionalLong.of(38_999), heartbeat.plan().delayMs());
        assertEquals(OptionalLong.of(39_000), Plan.of(SETTINGS, 60_000, 1).delayMs());
    }

    /** The constants of the enums are the C ABI's, by number and by name. */
    @Example
    void namesAreTheLibrarys() {
        for (StopReason each : StopReason.values()) {
            if (each != StopReason.UNKNOWN) assertEquals(Texts.name(Function.NAME_OF_STOP, each.code), each.toString());
        }
        for (Rule each : Rule.values()) {
            if (each != Rule.UNKNOWN) assertEquals(Texts.name(Function.NAME_OF_RULE, each.code), each.name());
        }
        for (ErrorCode each : ErrorCode.values()) {
            assertEquals(Texts.name(Function.NAME_OF_ERROR_CODE, each.code), each.name());
        }
        for (Operation each : Operation.values()) {
            assertEquals(Texts.name(Function.NAME_OF_OPERATION, each.code), each.toString());
        }
        for (Key each : Key.values()) assertEquals(Texts.name(Function.NAME_OF_KEY, each.code), each.toString());
        for (MisuseException.Code each : MisuseException.Code.values()) {
            int status = each == MisuseException.Code.STALE_ATTEMPT ? Function.STALE_ATTEMPT : Function.UNEXPECTED_EVENT;
            assertEquals(Texts.name(Function.NAME_OF_STATUS, status), each.toString());
        }
        // None is missing: the next number has no name.
        assertEquals("unknown", Texts.name(Function.NAME_OF_STOP, StopReason.values().length));
        assertEquals("unknown", Texts.name(Function.NAME_OF_RULE, Rule.values().length));
        assertEquals("unknown", Texts.name(Function.NAME_OF_ERROR_CODE, ErrorCode.values().length + 1));
    }

    @Example
    void aPlatformWithoutALibraryIsNamed() {
        assertEquals("linux-x86_64", NativeLibrary.platform("Linux", "amd64"));
        assertEquals("macos-aarch64", NativeLibrary.platform("Mac OS X", "aarch64"));
        assertEquals("windows-x86_64", NativeLibrary.platform("Windows 11", "amd64"));
        NativeLibraryException error = assertThrows(
                NativeLibraryException.class, () -> NativeLibrary.open("plan9-mips", "libleasebeat-java.so"));
        assertTrue(error.getMessage().startsWith("this jar has no native library for plan9-mips"), error.getMessage());
        assertNull(error.getCause());
    }
}
