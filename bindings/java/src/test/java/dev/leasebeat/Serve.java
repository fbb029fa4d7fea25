package dev.leasebeat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The real server, `leasebeat serve`, and its log. */
final class Serve implements AutoCloseable {
    static final String RESERVATION =
            """
            {"subject":{"tenant":"demo"},"action":{"kind":"llm.completion","name":"java"},
             "estimate":{"unit":"TOKENS","amount":1000}}
            """;

    private static final ObjectMapper JSON = new ObjectMapper();

    final String url;
    private final Process process;
    private final Thread reader;
    private final List<JsonNode> requests = new ArrayList<>();

    Serve(String... options) throws IOException {
        Path command = Path.of(System.getProperty("leasebeat.command", Repository.file("target/debug/leasebeat").toString()));
        List<String> line = new ArrayList<>(List.of(command.toString(), "serve", "--listen", "127.0.0.1:0"));
        line.addAll(List.of(options));
        process = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader out = process.inputReader();
        url = JSON.readTree(out.readLine()).get("url").asText();
        reader = new Thread(() -> read(out));
        reader.setDaemon(true);
        reader.start();
    }

    private void read(BufferedReader out) {
        try {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                JsonNode request = JSON.readTree(line);
                synchronized (requests) {
                    requests.add(request);
                }
            }
        } catch (IOException error) {
            if (process.isAlive()) throw new UncheckedIOException(error);
        }
    }

    /** What was asked so far, in order. */
    List<JsonNode> log(Predicate<JsonNode> which) {
        synchronized (requests) {
            return requests.stream().filter(which).toList();
        }
    }

    List<JsonNode> of(String reservationId) {
        return log(request -> request.path("reservation_id").asText().equals(reservationId));
    }

    /** The reader has read all that the server wrote. */
    @Override
    public void close() throws IOException {
        // Not by the process itself, which would close what is still to be read.
        process.toHandle().destroy();
        try {
            process.waitFor();
            reader.join();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new IOException(error);
        }
    }
}
