package dev.leasebeat;

/** The bridge of this process. It is no field of {@link Bridge}, whose initialisation would then need a subclass's. */
final class Native {
    /** {@code jni} or {@code ffm} (java.lang.foreign); without it, the latter where the runtime has it. */
    static final String PROPERTY = "leasebeat.bridge";

    static final Bridge CALLS = choose();

    private Native() {}

    private static Bridge choose() {
        String wanted = System.getProperty(PROPERTY, "");
        Bridge bridge = switch (wanted) {
            case "" -> ForeignBridge.isAvailable() ? ForeignBridge.open() : new JniBridge();
            case "jni" -> new JniBridge();
            case "ffm" -> ForeignBridge.open();
            default -> throw new IllegalArgumentException(
                    PROPERTY + " is \"" + wanted + "\"; it must be \"jni\", \"ffm\" or not set");
        };
        int abi = bridge.call(Function.ABI_VERSION, 0, 0, 0, 0, 0, 0);
        int size = bridge.call(Function.SIZEOF, 0, 0, 0, 0, 0, 0);
        if (abi != Function.ABI || size > Block.HEARTBEAT_SIZE) {
            throw new NativeLibraryException("the native library has ABI " + abi + " with heartbeats of " + size
                    + " bytes; this package needs ABI " + Function.ABI + " with at most " + Block.HEARTBEAT_SIZE, null);
        }
        return bridge;
    }
}
