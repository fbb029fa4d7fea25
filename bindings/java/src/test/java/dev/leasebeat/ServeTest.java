package dev.leasebeat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The driver and the adapter against the real server, through every fault, judged by the server's own log. */
@Tag("slow")
class ServeTest {
    /** The server grants no longer lead, so a beat is due each second. */
    private static final Duration TTL = Duration.ofSeconds(6);

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final int CREATE = 1;
    /** The second extend: there is a beat before and one after it. */
    private static final int EXTEND = 3;

    /** A fault that meets the first attempt of a key, and what must become of the lease. */
    private record Case(String fault, int generation, String tenant, Duration ttl, Duration timeout, StopReason stop) {
        static Case kept(String fault, int generation) {
            return new Case(fault, generation, "demo", TTL, TIMEOUT, null);
        }

        static Case stops(String fault, StopReason stop) {
            return new Case(fault, EXTEND, "demo", TTL, TIMEOUT, stop);
        }

        @Override
        public String toString() {
            return (generation == CREATE ? "create: " : "extend: ") + fault;
        }
    }

    private static final List<Case> CASES = List.of(
            Case.kept("lost-response", EXTEND),
            Case.kept("reset", EXTEND),
            Case.kept("delay=1800ms", EXTEND),
            Case.kept("delay-before=1800ms", EXTEND),
            Case.kept("status=503", EXTEND),
            Case.kept("status-after=500", EXTEND),
            Case.kept("malformed", EXTEND),
            Case.kept("wrong-schema", EXTEND),
            Case.kept("body={\"status\":\"ACTIVE\",\"expires_at_ms\":null}", EXTEND),
            Case.kept("accepted", EXTEND),
            Case.kept("truncated", EXTEND),
            Case.kept("stall", EXTEND),
            Case.kept("throttle=0", EXTEND),
            new Case("throttle=1", EXTEND, "demo", TTL, TIMEOUT, null),
            Case.kept("lost-response", CREATE),
            Case.kept("reset", CREATE),
            Case.kept("delay=1800ms", CREATE),
            Case.kept("status=503", CREATE),
            Case.kept("malformed", CREATE),
            Case.stops("throttle=60", StopReason.THROTTLED),
            Case.stops("throttle=Wed, 21 Oct 2026 07:28:00 GMT", StopReason.THROTTLED),
            Case.stops("throttle", StopReason.THROTTLED),
            Case.stops("status=400", StopReason.REJECTED),
            Case.stops("status=302", StopReason.UNEXPECTED_STATUS),
            Case.stops("status=409:MAX_EXTENSIONS_EXCEEDED", StopReason.MAX_EXTENSIONS_EXCEEDED),
            Case.stops("status=404", StopReason.NOT_FOUND),
            Case.stops("status=410", StopReason.RESERVATION_EXPIRED),
            Case.stops("status=409:RESERVATION_FINALIZED", StopReason.RESERVATION_FINALIZED),
            new Case("close-tenant", EXTEND, "other", TTL, TIMEOUT, StopReason.TENANT_CLOSED));

    /** What was seen of a case on this side of the wire. */
    private static final class Seen implements KeepAliveListener {
        final List<FailureReport> failures = new CopyOnWriteArrayList<>();
        final CountDownLatch enough = new CountDownLatch(1);
        Stopped stopped;
        boolean heldAllTheTime = true;
        KeepAlive lease;
        Faulty sender;

        @Override
        public void onFailure(FailureReport report) {
            failures.add(report);
        }

        @Override
        public void onDecision(Decision decision) {
            if (decision instanceof Decision.Stop) enough.countDown();
            // The beat after the fault has been answered.
            if (decision instanceof Decision.Wait && lease != null && lease.stats().extensions() >= 3) enough.countDown();
        }

        @Override
        public void onWarning(String message) {
            if (message.contains("provably")) heldAllTheTime = false;
        }
    }

    /** Asks the server for the fault with the first attempt of one key. */
    private static final class Faulty implements Sender {
        private final Case asked;
        private final String key;
        private final CyclesLease plain;
        private final AtomicBoolean done = new AtomicBoolean();
        private volatile String id;

        Faulty(Case asked) {
            this.asked = asked;
            key = asked.tenant().equals("demo") ? "demo-key" : "other-key";
            plain = CyclesLease.create(CLIENT, server.url, key, reservation());
        }

        private String reservation() {
            return Serve.RESERVATION.replace("demo", asked.tenant());
        }

        @Override
        public CompletableFuture<Outcome> send(Attempt attempt) {
            if (attempt.keyGeneration() != asked.generation() || done.getAndSet(true)) return plain.send(attempt);
            id = plain.reservationId().orElse(null);
            CyclesLease faulty = attempt.operation() == Operation.CREATE
                    ? CyclesLease.create(CLIENT, server.url, key, reservation())
                    : CyclesLease.of(CLIENT, server.url, key, id);
            return faulty.header("X-Leasebeat-Fault", asked.fault()).send(attempt);
        }

        @Override
        public Optional<String> reservationId() {
            return plain.reservationId();
        }
    }

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Map<Case, Seen> SEEN = new HashMap<>();
    private static Serve server;

    /** All at once, so that it takes no longer than one. */
    @BeforeAll
    static void keepThemAll() throws Exception {
        server = new Serve("--max-extensions", "none", "--max-lead", "6s", "--tenant", "demo=demo-key", "--tenant", "other=other-key");
        for (Case each : CASES) SEEN.put(each, start(each));
        for (Seen seen : SEEN.values()) {
            assertTrue(seen.enough.await(30, TimeUnit.SECONDS), "something was decided: " + seen.sender.asked);
            seen.lease.close();
            seen.stopped = seen.lease.stopped().get(1, TimeUnit.SECONDS);
        }
        server.close();
    }

    private static Seen start(Case each) {
        Seen seen = new Seen();
        seen.sender = new Faulty(each);
        seen.lease = KeepAlive.of(seen.sender, each.ttl(), each.timeout()).listener(seen).start();
        return seen;
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) server.close();
    }

    static Stream<Case> cases() {
        return CASES.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isAsTheServersLogSays(Case asked) throws IOException {
        Seen seen = SEEN.get(asked);
        String id = seen.sender.plain.reservationId().orElseThrow();
        List<JsonNode> log = server.of(id);
        List<FailureReport> failures = seen.failures.stream()
                .filter(report -> report.attempt().keyGeneration() == asked.generation()).toList();
        assertEquals(1, failures.size(), "one failure of that attempt, and it is reported: " + seen.failures);
        FailureReport failure = failures.get(0);
        if (asked.generation() != CREATE) assertEquals(id, failure.reservationId());
        // What was not applied names no reservation, but it has its key.
        String key = failure.attempt().idempotencyKey();
        List<JsonNode> same = server.log(request -> request.path("key").asText().equals(key));
        assertFalse(same.get(0).path("fault").isNull(), "the server played it: " + same);
        if (asked.stop() == null) isKept(asked, seen, log, same);
        else assertEquals(asked.stop(), seen.stopped.reason());
    }

    private static void isKept(Case asked, Seen seen, List<JsonNode> log, List<JsonNode> same) {
        assertEquals(StopReason.CLOSED, seen.stopped.reason());
        assertTrue(seen.heldAllTheTime, "held all the time, as far as the driver knows");
        List<String> applied = new ArrayList<>();
        int extensions = 0;
        for (JsonNode request : log) {
            if (request.path("applied").asBoolean()) applied.add(request.path("key").asText());
            if (!request.path("operation").asText().equals("extend")) continue;
            extensions++;
            assertTrue(request.path("remaining_before_ms").asLong() > 0, "no lapse: " + request);
        }
        assertEquals(applied.stream().distinct().toList(), applied, "no key was applied twice");
        assertTrue(extensions >= 3, "the beats went on: " + log);
        // The failed attempt's key came once more, and was the very next.
        assertEquals(2, same.size(), "one retry, with the same key: " + same);
        boolean first = same.get(0).path("applied").asBoolean() && !same.get(0).path("replayed").asBoolean();
        assertEquals(first, same.get(1).path("replayed").asBoolean(), "what was applied is replayed: " + same);
        if (asked.fault().equals("throttle=1")) {
            long waited = same.get(1).path("time_ms").asLong() - same.get(0).path("time_ms").asLong();
            assertTrue(waited >= 1_000, "never earlier than a throttling server asked: " + waited);
        }
    }
}
