package dev.leasebeat;

import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/** One attempt on its way. */
final class Flight {
    final Attempt attempt;
    /** When it has taken too long. */
    final long giveUpAt;

    private final Driver driver;
    private volatile CompletableFuture<Outcome> answer;
    private volatile boolean cancelled;

    Flight(Driver driver, Attempt attempt, long giveUpAt) {
        this.driver = driver;
        this.attempt = attempt;
        this.giveUpAt = giveUpAt;
    }

    /** Sends it, unless it was cancelled before; outside the driver's lock. */
    void send(Sender sender, MonotonicTime time) {
        if (cancelled) return;
        long sentNs = time.now();
        CompletableFuture<Outcome> sent;
        try {
            sent = sender.send(attempt);
            if (sent == null) throw new NullPointerException("the sender gave no future");
        } catch (Throwable error) {
            driver.answered(this, sentNs, null, error);
            return;
        }
        answer = sent;
        sent.whenComplete((outcome, error) -> driver.answered(this, sentNs, outcome, error));
        if (cancelled) sent.cancel(true);
    }

    /** Nobody waits for it any more. */
    void cancel() {
        cancelled = true;
        CompletableFuture<Outcome> sent = answer;
        if (sent != null) sent.cancel(true);
    }

    /** What a sender's exception says; no outcome and no exception is an answer that proves nothing. */
    static Failure failureOf(Throwable error) {
        Throwable cause = error;
        while (cause instanceof CompletionException && cause.getCause() != null) cause = cause.getCause();
        if (cause == null) return Failure.Unproven.AMBIGUOUS;
        boolean timeout = cause instanceof TimeoutException || cause instanceof HttpTimeoutException;
        return timeout ? Failure.Unproven.TIMEOUT : Failure.Unproven.CONNECTION;
    }
}
