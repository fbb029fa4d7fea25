package dev.leasebeat;

import java.io.BufferedReader;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/**
 * What a process pays for keeping 1,000 leases alive against a real server, as a JSON line: the CPU time of all its
 * threads, in percent of one core, once the leases are granted and spread over their cadence.
 */
final class Leases {
    private static final int LEASES = 1_000;
    private static final int WARM_UP = 5;
    private static final Duration TTL = Duration.ofSeconds(60);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration MEASURED = Duration.ofSeconds(60);
    private static final String RESERVATION =
            """
            {"subject":{"tenant":"demo"},"action":{"kind":"llm.completion","name":"bench"},
             "estimate":{"unit":"TOKENS","amount":1}}
            """;

    private Leases() {}

    /** The server's command is the one argument; its second, where there is one, the seconds to measure. */
    public static void main(String[] arguments) throws Exception {
        long seconds = arguments.length > 1 ? Long.parseLong(arguments[1]) : MEASURED.toSeconds();
        Process server = new ProcessBuilder(
                        arguments[0], "serve", "--listen", "127.0.0.1:0", "--max-extensions", "none", "--max-lead", "60s")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            BufferedReader log = server.inputReader();
            String url = log.readLine().replaceAll(".*\"url\":\"([^\"]*)\".*", "$1");
            Thread reader = new Thread(() -> log.lines().forEach(line -> {}));
            reader.setDaemon(true);
            reader.start();
            measure(url, seconds);
        } finally {
            // Not by the process itself, which would close what is still read.
            server.toHandle().destroy();
            server.waitFor();
        }
    }

    private static void measure(String url, long seconds) throws InterruptedException {
        HttpClient client = HttpClient.newHttpClient();
        ScheduledExecutorService scheduler = new ScheduledThreadPoolExecutor(1);
        ((ScheduledThreadPoolExecutor) scheduler).setRemoveOnCancelPolicy(true);
        List<KeepAlive> leases = new ArrayList<>();
        // Over one cadence, as hosts that come and go are.
        for (int at = 0; at < LEASES; at++) {
            CyclesLease reservation = CyclesLease.create(client, url, "demo-key", RESERVATION);
            leases.add(KeepAlive.of(reservation, TTL, TIMEOUT).scheduler(scheduler).start());
            Thread.sleep(35);
        }
        // A process that keeps leases lives for long: its code is compiled. Lost timing makes each lease beat at once.
        for (int round = 0; round < WARM_UP; round++) {
            for (KeepAlive lease : leases) {
                lease.timingLost();
                Thread.sleep(3);
            }
            Thread.sleep(1_000);
        }
        long extensions = extensions(leases);
        long cpu = cpu();
        long start = System.nanoTime();
        Thread.sleep(seconds * 1_000);
        double elapsed = (System.nanoTime() - start) / 1e9;
        double percent = (cpu() - cpu) / 1e7 / elapsed;
        double rate = (extensions(leases) - extensions) / elapsed;
        boolean held = leases.stream().allMatch(KeepAlive::held);
        leases.forEach(KeepAlive::close);
        scheduler.shutdown();
        if (!held) throw new IllegalStateException("a lease was lost");
        System.out.printf(
                Locale.ROOT,
                "{\"name\": \"leases-%s\", \"leases\": %d, \"ttl_s\": %d, \"timeout_s\": %d, \"extensions_per_s\": %.1f,"
                        + " \"cpu_percent\": %.2f}%n",
                Leasebeat.bridge(), LEASES, TTL.toSeconds(), TIMEOUT.toSeconds(), rate, percent);
    }

    private static long extensions(List<KeepAlive> leases) {
        return leases.stream().mapToLong(lease -> lease.stats().extensions()).sum();
    }

    /** The CPU time of the process, in ns. */
    private static long cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }
}
