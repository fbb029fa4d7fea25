package dev.leasebeat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.runcycles.client.java.spring.client.CyclesClient;
import io.runcycles.client.java.spring.model.CyclesResponse;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of the pages, compiled as it stands there, and run. */
@Tag("slow")
class GuideTest {
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("^(?:public )?(?:final class|record) (\\w+)", Pattern.MULTILINE);
    private static final String[] FAULTS = {"--fault", "extend:1=lost-response", "--fault", "extend:3=status=503"};
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    /** The page's classes. */
    private ClassLoader compiled(String page) throws IOException {
        Matcher block = BLOCK.matcher(Files.readString(Repository.file(page)));
        while (block.find()) {
            Matcher name = CLASS.matcher(block.group(1));
            assertTrue(name.find(), "a block of " + page + " has no class");
            Path source = folder.resolve(name.group(1) + ".java");
            Files.writeString(source, block.group(1));
            int result = ToolProvider.getSystemJavaCompiler().run(
                    null, null, null, "-Xlint:all,-processing,-classfile,-path", "-Werror", "-proc:none", "--release", "17",
                    "-cp", System.getProperty("java.class.path"), "-d", folder.toString(), source.toString());
            assertEquals(0, result, source.toString());
        }
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader());
    }

    private static Object open(ClassLoader classes, String name, Object... arguments) throws Exception {
        Constructor<?> constructor = classes.loadClass(name).getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(arguments);
    }

    private static Method method(Class<?> type, String name) {
        Method method = List.of(type.getDeclaredMethods()).stream().filter(each -> each.getName().equals(name)).findFirst().orElseThrow();
        method.setAccessible(true);
        return method;
    }

    @Test
    void theReadmesExampleSurvivesItsFaults() throws Exception {
        try (Serve serve = new Serve(FAULTS)) {
            Method main = method(compiled("bindings/java/README.md").loadClass("example.Example"), "main");
            main.invoke(null, (Object) new String[] {serve.url});
            serve.close();
            survived(serve.log(request -> request.path("operation").asText().equals("extend")));
        }
    }

    /** Both faults were met, each was answered by the same key, and no extension came too late. */
    private static void survived(List<JsonNode> beats) {
        assertEquals("lost-response", beats.get(0).path("fault").asText());
        assertEquals(beats.get(0).path("key"), beats.get(1).path("key"));
        assertTrue(beats.get(1).path("replayed").asBoolean());
        assertEquals(503, beats.get(2).path("status").asInt());
        assertEquals(beats.get(2).path("key"), beats.get(3).path("key"));
        assertTrue(beats.get(3).path("applied").asBoolean());
        for (JsonNode request : beats) {
            if (request.path("applied").asBoolean()) assertTrue(request.path("remaining_before_ms").asLong() > 0, request.toString());
        }
    }

    @Test
    void theGuidesKernelSaysWhatThePageSays() throws Exception {
        Object said = method(compiled("docs/JAVA.md").loadClass("Kernel"), "first").invoke(null);
        assertTrue(Files.readString(Repository.file("docs/JAVA.md")).contains("\n" + said + "\n"), said.toString());
    }

    @Test
    void theGuidesWorkerWorks() throws Exception {
        ClassLoader classes = compiled("docs/JAVA.md");
        Object worker = open(classes, "Worker");
        Class<?> client = classes.loadClass("Worker$Client");
        Object granting = Proxy.newProxyInstance(classes, new Class<?>[] {client}, (proxy, post, arguments) -> open(
                classes, "Worker$Answer", 200, null, ("{\"decision\":\"ALLOW\",\"reservation_id\":\"rsv_1\",\"expires_at_ms\":"
                        + "1785585660000,\"remaining_ttl_ms\":60000,\"affected_scopes\":[\"tenant:acme\"]}").getBytes(StandardCharsets.UTF_8)));
        assertEquals("done, held: true", method(worker.getClass(), "work").invoke(worker, granting));
        Object throttling = Proxy.newProxyInstance(classes, new Class<?>[] {client}, (proxy, post, arguments) ->
                open(classes, "Worker$Answer", 429, "5", new byte[0]));
        assertEquals("not granted: throttled", method(worker.getClass(), "work").invoke(worker, throttling));
        var field = worker.getClass().getDeclaredField("throttled");
        field.setAccessible(true);
        assertEquals("1", field.get(worker).toString());
    }

    /** The starter's client as far as the page uses it, over the JDK's. */
    private static CyclesResponse<Map<String, Object>> post(HttpClient client, String url, Object body) {
        try {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(URI.create(url)).header("X-Cycles-API-Key", "demo-key")
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body))).build(),
                    HttpResponse.BodyHandlers.ofString());
            return new CyclesResponse<>(response.statusCode(), JSON.readValue(response.body(), new TypeReference<>() {}), null);
        } catch (IOException | InterruptedException error) {
            return new CyclesResponse<>(-1, null, error);
        }
    }

    @Test
    void theStartersHeartbeatIsReplaced() throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        ExecutorService executor = Executors.newCachedThreadPool();
        try (Serve serve = new Serve(FAULTS)) {
            String reservations = serve.url + "/v1/reservations";
            Map<String, Object> create = JSON.readValue(Serve.RESERVATION, new TypeReference<>() {});
            create.put("idempotency_key", "create-1");
            create.put("ttl_ms", 4_000);
            long sentAt = System.nanoTime();
            Map<String, Object> granted = post(http, reservations, create).getBody();
            String id = granted.get("reservation_id").toString();
            CyclesClient client = (reservationId, body) -> post(http, reservations + "/" + reservationId + "/extend", body);
            Success created = new Success(
                    ((Number) granted.get("remaining_ttl_ms")).longValue(), ((Number) granted.get("expires_at_ms")).longValue());
            Object sender = open(compiled("docs/REPLACE.md"), "StarterSender", client, id, (Executor) executor);
            Method keep = method(sender.getClass(), "keep");
            try (KeepAlive lease = (KeepAlive)
                    keep.invoke(sender, Duration.ofSeconds(4), Duration.ofSeconds(1), created, sentAt)) {
                while (lease.stats().extensions() < 2) {
                    assertTrue(lease.held());
                    Thread.sleep(50);
                }
            }
            serve.close();
            survived(serve.log(request -> request.path("operation").asText().equals("extend")));
        } finally {
            executor.shutdownNow();
        }
    }
}
