package dev.leasebeat;

/** {@code java.lang.foreign} on a runtime that lacks its final form. Java 22 and later load another class of this name. */
final class ForeignBridge {
    private ForeignBridge() {}

    static boolean isAvailable() {
        return false;
    }

    static Bridge open() {
        throw new NativeLibraryException(
                "java.lang.foreign needs Java 22 or later, and this is Java " + Runtime.version().feature()
                        + "; leave " + Native.PROPERTY + " unset, or set it to \"jni\"",
                null);
    }
}
