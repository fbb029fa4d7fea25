package dev.leasebeat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every vector, byte-equal. */
class VectorsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** As many as there are: one that is not found is not one that passed. */
    private static final int COUNT = 98;

    @Test
    void theBridgeIsTheOneThatIsTested() {
        assertEquals(System.getProperty("expected.bridge"), Leasebeat.bridge());
    }

    @Test
    void allAreFound() throws IOException {
        assertEquals(COUNT, vectors().count());
    }

    static Stream<Path> vectors() throws IOException {
        try (Stream<Path> files = Files.list(Repository.file("tests/vectors"))) {
            return files.filter(file -> file.toString().endsWith(".jsonl") && !file.toString().endsWith(".expected.jsonl"))
                    .sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void isByteEqual(Path vector) throws IOException {
        String name = vector.toString().replaceAll("\\.jsonl$", ".expected.jsonl");
        assertEquals(Files.readString(Path.of(name)), String.join("\n", replay(vector)) + "\n");
    }

    private static List<String> replay(Path vector) throws IOException {
        List<String> decided = new ArrayList<>();
        Heartbeat heartbeat = null;
        for (String line : Files.readAllLines(vector)) {
            JsonNode node = JSON.readTree(line);
            if (heartbeat != null) {
                decided.add(step(heartbeat, node));
                continue;
            }
            try {
                heartbeat = new Heartbeat(settings(node.get("config")));
            } catch (InvalidValueException error) {
                return List.of("{\"error\":\"invalid-config\"}");
            }
        }
        return decided;
    }

    private static Settings settings(JsonNode node) {
        boolean refuse = node.path("fallback").asText().equals("refuse");
        // A timeout that is there and 0 is out of range; in the record 0 says that there is none.
        if (number(node, "request_timeout_ms").equals(OptionalLong.of(0))) Settings.of(1).withRequestTimeoutMs(0);
        return new Settings(
                number(node, "extend_by_ms").orElseThrow(),
                number(node, "request_timeout_ms").orElse(0),
                number(node, "clock_resolution_ns").orElse(0),
                number(node, "max_wait_ms").orElse(0),
                refuse ? Fallback.REFUSE : Fallback.BAND);
    }

    private static String step(Heartbeat heartbeat, JsonNode node) {
        try {
            return line(heartbeat.handle(event(node), node.get("at").bigIntegerValue().longValue()));
        } catch (MisuseException error) {
            return "{\"error\":\"" + error.code() + "\"}";
        }
    }

    private static Event event(JsonNode node) {
        long attempt = number(node, "attempt").orElse(0);
        return switch (node.get("in").asText()) {
            case "begin" -> Event.Signal.BEGIN;
            case "tick" -> Event.Signal.TICK;
            case "timing-lost" -> Event.Signal.TIMING_LOST;
            case "close" -> Event.Signal.CLOSE;
            case "denied" -> new Outcome.Denied(attempt);
            case "created" -> new Outcome.Created(success(node), attempt);
            case "extended" -> new Outcome.Extended(success(node), attempt);
            case "failed" -> new Outcome.Failed(failure(node), attempt, null);
            default -> throw new AssertionError(node);
        };
    }

    private static Success success(JsonNode node) {
        return new Success(number(node, "rtt_ns"), number(node, "remaining_ttl_ms"), number(node, "expires_at_ms"));
    }

    private static Failure failure(JsonNode node) {
        return switch (node.get("kind").asText()) {
            case "timeout" -> Failure.Unproven.TIMEOUT;
            case "connection" -> Failure.Unproven.CONNECTION;
            case "ambiguous" -> Failure.Unproven.AMBIGUOUS;
            default -> new Failure.Http(node.get("status").asInt(), code(node), node.hasNonNull("retry_after")
                    ? Leasebeat.parseRetryAfter(node.get("retry_after").asText()) : OptionalLong.empty());
        };
    }

    /** One that the protocol does not name is none. */
    private static ErrorCode code(JsonNode node) {
        String name = node.path("code").asText();
        return Stream.of(ErrorCode.values()).filter(code -> code.name().equals(name)).findFirst().orElse(null);
    }

    private static OptionalLong number(JsonNode node, String field) {
        return node.hasNonNull(field) ? OptionalLong.of(node.get(field).bigIntegerValue().longValue()) : OptionalLong.empty();
    }

    /** A decision as docs/RULES.md writes it. */
    private static String line(Decision decision) {
        if (decision instanceof Decision.Send send) {
            String timeout = send.timeoutMs() == Decision.Send.NO_TIMEOUT ? "null" : Long.toUnsignedString(send.timeoutMs());
            return "{\"do\":\"send\",\"op\":\"" + send.operation() + "\",\"key\":\"" + send.key() + "\",\"attempt\":"
                    + send.attempt() + ",\"timeout_ms\":" + timeout + "}";
        }
        if (decision instanceof Decision.Wait wait) {
            return "{\"do\":\"wait\",\"ms\":" + (wait.waitMs() == Decision.Wait.UNBOUNDED ? "null" : wait.waitMs()) + "}";
        }
        return "{\"do\":\"stop\",\"reason\":\"" + ((Decision.Stop) decision).reason() + "\"}";
    }
}
