package dev.leasebeat;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A lock, and what is to run after it: sends, cancellations, listeners. These run outside the lock, one at a time and in
 * the order in which they were queued, on the thread that queued them or on the one that is already at it.
 */
final class Serial {
    private static final System.Logger LOG = System.getLogger("dev.leasebeat");

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
    private boolean draining;

    /** Runs under the lock, then what was queued outside of it. */
    <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
            drain();
        }
    }

    /** Under the lock: what is to run after it. */
    void later(Runnable task) {
        queue.add(task);
    }

    private void drain() {
        for (Runnable next = poll(false); next != null; next = poll(true)) {
            try {
                next.run();
            } catch (Throwable error) {
                // A listener's or a sender's: it is theirs, and stops no lease.
                LOG.log(Level.ERROR, "a callback of a lease threw", error);
            }
        }
    }

    /** The next that is queued; null where there is none, or another thread is at it. */
    private Runnable poll(boolean isAtIt) {
        lock.lock();
        try {
            if (draining && !isAtIt) return null;
            Runnable next = queue.poll();
            draining = next != null;
            return next;
        } finally {
            lock.unlock();
        }
    }
}
