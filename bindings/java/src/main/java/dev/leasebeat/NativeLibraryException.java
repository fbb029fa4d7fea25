package dev.leasebeat;

/** The native library cannot be had: no file for this platform, one that does not load, or one of another version. */
public final class NativeLibraryException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NativeLibraryException(String message, Throwable cause) {
        super(message, cause);
    }
}
