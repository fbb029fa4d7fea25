package dev.leasebeat;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/** Sends attempts. {@link CyclesLease} is one for the Cycles REST API. */
@FunctionalInterface
public interface Sender {
    /**
     * Sends an attempt without blocking, once. What the future fails with, or this throws, is a lost connection; a
     * {@link java.util.concurrent.TimeoutException} or {@link java.net.http.HttpTimeoutException} is a timeout. The future
     * is cancelled when the attempt has taken too long or nobody wants it any more, and its result is dropped then.
     *
     * @param attempt what to send
     * @return what became of it
     * @throws Exception where it cannot be sent
     */
    CompletableFuture<Outcome> send(Attempt attempt) throws Exception;

    /**
     * For logs and reports.
     *
     * @return the reservation that it sends for, once it is known
     */
    default Optional<String> reservationId() {
        return Optional.empty();
    }

    /** Sends an attempt and waits for the answer. */
    @FunctionalInterface
    interface Blocking {
        /**
         * Sends an attempt, once. It is interrupted where {@link Sender#send}'s future would be cancelled.
         *
         * @param attempt what to send
         * @return what became of it
         * @throws Exception a lost connection, or a timeout
         */
        Outcome send(Attempt attempt) throws Exception;
    }

    /**
     * A sender of one that blocks.
     *
     * @param executor runs each attempt; one virtual thread a task is right where there are any
     * @param blocking sends
     * @return the sender
     */
    static Sender blocking(Executor executor, Blocking blocking) {
        Objects.requireNonNull(executor, "executor");
        Objects.requireNonNull(blocking, "blocking");
        return attempt -> {
            CompletableFuture<Outcome> result = new CompletableFuture<>();
            FutureTask<Void> task = new FutureTask<>(() -> {
                try {
                    result.complete(blocking.send(attempt));
                } catch (Throwable error) {
                    result.completeExceptionally(error);
                }
                return null;
            });
            result.whenComplete((outcome, error) -> {
                if (result.isCancelled()) task.cancel(true);
            });
            executor.execute(task);
            return result;
        };
    }
}
