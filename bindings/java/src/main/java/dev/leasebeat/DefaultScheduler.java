package dev.leasebeat;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** The scheduler of all leases that name none. */
final class DefaultScheduler {
    static final ScheduledExecutorService SHARED = create();

    private DefaultScheduler() {}

    private static ScheduledExecutorService create() {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(null, task, "leasebeat", 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(null);
            return thread;
        });
        // A timer that a new one replaces must not wait for its time in the queue.
        scheduler.setRemoveOnCancelPolicy(true);
        return scheduler;
    }
}
