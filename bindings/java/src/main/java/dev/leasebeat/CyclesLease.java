package dev.leasebeat;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/**
 * A reservation of the Cycles REST API, and how it is created and extended, over the JDK's HTTP client: one request an
 * attempt, no redirect followed, the answer decoded by the kernel.
 */
public final class CyclesLease implements Sender {
    /** A JSON object, as far as one looks before something is put into it. */
    private static final Pattern OBJECT = Pattern.compile("\\s*\\{(.*)\\}\\s*", Pattern.DOTALL);

    private final HttpClient client;
    private final String root;
    private final String apiKey;
    private final List<String> headers = new ArrayList<>();
    /** What is in the create's object besides the key and the TTL. */
    private final String reservation;
    private UnknownKeys unknownKeys = UnknownKeys.REJECT;
    private volatile String reservationId;

    private CyclesLease(HttpClient client, String baseUrl, String apiKey, String reservation, String reservationId) {
        this.client = Objects.requireNonNull(client, "client");
        if (client.followRedirects() != HttpClient.Redirect.NEVER) {
            throw new InvalidValueException("followRedirects", client.followRedirects(), "NEVER");
        }
        root = URI.create(baseUrl.replaceAll("/+$", "") + "/v1/reservations").toString();
        this.apiKey = Objects.requireNonNull(apiKey, "apiKey");
        this.reservation = reservation;
        this.reservationId = reservationId;
    }

    /**
     * A reservation that is to be created.
     *
     * @param client may be shared by all leases; it must follow no redirects, as is the default
     * @param baseUrl where the API is; requests go to {@code /v1/reservations} below it
     * @param apiKey the tenant's
     * @param reservation the create's body, a JSON object without {@code idempotency_key} and {@code ttl_ms}: subject,
     *     action, estimate
     * @return a sender for {@link KeepAlive}
     */
    public static CyclesLease create(HttpClient client, String baseUrl, String apiKey, String reservation) {
        var object = OBJECT.matcher(reservation);
        if (!object.matches() || object.group(1).isBlank()) {
            throw new InvalidValueException("reservation", reservation, "a JSON object with subject, action and estimate");
        }
        return new CyclesLease(client, baseUrl, apiKey, object.group(1).strip(), null);
    }

    /**
     * A reservation that is already there: see {@link KeepAliveBuilder#created}.
     *
     * @param client as in {@link #create}
     * @param baseUrl as in {@link #create}
     * @param apiKey the tenant's
     * @param reservationId the reservation's
     * @return a sender for {@link KeepAlive}
     */
    public static CyclesLease of(HttpClient client, String baseUrl, String apiKey, String reservationId) {
        return new CyclesLease(client, baseUrl, apiKey, null, Objects.requireNonNull(reservationId, "reservationId"));
    }

    /**
     * Another header of each request.
     *
     * @param name its name
     * @param value its value
     * @return this
     */
    public CyclesLease header(String name, String value) {
        // The JDK's own check, before anything is sent.
        HttpRequest.newBuilder().header(name, value);
        headers.addAll(List.of(name, value));
        return this;
    }

    /**
     * What a key of an answer is that the schema does not name.
     *
     * @param unknownKeys by default {@link UnknownKeys#REJECT}
     * @return this
     */
    public CyclesLease unknownKeys(UnknownKeys unknownKeys) {
        this.unknownKeys = Objects.requireNonNull(unknownKeys, "unknownKeys");
        return this;
    }

    @Override
    public Optional<String> reservationId() {
        return Optional.ofNullable(reservationId);
    }

    @Override
    public CompletableFuture<Outcome> send(Attempt attempt) {
        CompletableFuture<HttpResponse<byte[]>> exchange =
                client.sendAsync(request(attempt), HttpResponse.BodyHandlers.ofByteArray());
        CompletableFuture<Outcome> result = exchange.thenApply(response -> decode(attempt.operation(), response));
        // A future does not pass its cancelling on to the one that it comes from.
        result.whenComplete((outcome, error) -> {
            if (result.isCancelled()) exchange.cancel(true);
        });
        return result;
    }

    private HttpRequest request(Attempt attempt) {
        String key = "\"idempotency_key\":\"" + escape(attempt.idempotencyKey()) + "\"";
        boolean create = attempt.operation() == Operation.CREATE;
        String url = root;
        String body = "{" + key + ",\"ttl_ms\":" + attempt.extendByMs() + "," + reservation + "}";
        if (!create) {
            String id = reservationId;
            if (id == null) throw new IllegalStateException("there is no reservation to extend");
            url += "/" + URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20") + "/extend";
            body = "{" + key + ",\"extend_by_ms\":" + attempt.extendByMs() + "}";
        } else if (reservation == null) {
            throw new IllegalStateException("this reservation exists and cannot be created: hand in its answer");
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .header("X-Cycles-API-Key", apiKey)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (!headers.isEmpty()) request.headers(headers.toArray(String[]::new));
        return request.build();
    }

    /** A key as a JSON string, whatever the host makes keys of. */
    private static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') escaped.append('\\').append(each);
            else if (each < ' ') escaped.append(String.format("\\u%04x", (int) each));
            else escaped.append(each);
        }
        return escaped.toString();
    }

    private Outcome decode(Operation operation, HttpResponse<byte[]> response) {
        String retryAfter = response.headers().firstValue("Retry-After").orElse(null);
        Decoded decoded =
                Leasebeat.decode(operation, response.statusCode(), retryAfter, response.body(), unknownKeys);
        decoded.reservationId().ifPresent(id -> reservationId = id);
        return decoded.outcome();
    }
}
