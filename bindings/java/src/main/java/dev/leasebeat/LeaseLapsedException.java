package dev.leasebeat;

/** The lease was not provably held all the time. */
public final class LeaseLapsedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LeaseLapsedException(String message) {
        super(message);
    }
}
