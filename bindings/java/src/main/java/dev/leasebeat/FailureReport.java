package dev.leasebeat;

/**
 * A failed attempt, and what it means.
 *
 * @param reservationId what the sender knows; null where it does not
 * @param attempt what was sent
 * @param failure how it failed
 * @param disposition what that means for the lease
 * @param problem what was wrong with the answer, or the exception's text; null where nothing is to be said
 * @param error what the sender threw; null where it threw nothing
 */
public record FailureReport(
        String reservationId, Attempt attempt, Failure failure, Disposition disposition, String problem, Throwable error) {
    /** {@return the line that is logged} */
    @Override
    public String toString() {
        String what = failure instanceof Failure.Http http
                ? "HTTP " + http.status() + (http.code() == null ? "" : " " + http.code())
                : Names.dashed((Failure.Unproven) failure);
        return attempt.operation() + " #" + attempt.number() + " of reservation "
                + (reservationId == null ? "unknown" : reservationId) + " failed: " + what + ", " + disposition
                + (problem == null ? "" : ": " + problem);
    }
}
