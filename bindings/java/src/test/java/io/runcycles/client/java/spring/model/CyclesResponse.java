package io.runcycles.client.java.spring.model;

/** A stand-in with the signatures of the starter's class, which the tests' registry does not have. */
public final class CyclesResponse<T> {
    private final int status;
    private final T body;
    private final Throwable error;

    public CyclesResponse(int status, T body, Throwable error) {
        this.status = status;
        this.body = body;
        this.error = error;
    }

    public int getStatus() {
        return status;
    }

    public T getBody() {
        return body;
    }

    public boolean isTransportError() {
        return error != null;
    }

    public Throwable getTransportException() {
        return error;
    }
}
