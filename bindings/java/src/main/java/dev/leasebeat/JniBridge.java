package dev.leasebeat;

import java.nio.ByteBuffer;

/** By JNI, which every runtime has. */
final class JniBridge extends Bridge {
    static {
        NativeLibrary.load();
    }

    @Override
    int handle(long heartbeat, long event, long nowNs, long decision) {
        return handle0(heartbeat, event, nowNs, decision);
    }

    @Override
    int tick(long heartbeat, long nowNs, long decision) {
        return tick0(heartbeat, nowNs, decision);
    }

    @Override
    int call(int function, long a, long b, long c, long d, long e, long f) {
        return call0(function, a, b, c, d, e, f);
    }

    @Override
    int noop(long heartbeat, long event, long nowNs, long decision) {
        return noop0(heartbeat, event, nowNs, decision);
    }

    @Override
    String name() {
        return "jni";
    }

    /** Where a direct buffer lies; both bridges ask here, as only JNI can tell on every runtime. */
    static long address(ByteBuffer buffer) {
        return address0(buffer);
    }

    private static native int handle0(long heartbeat, long event, long nowNs, long decision);

    private static native int tick0(long heartbeat, long nowNs, long decision);

    private static native int call0(int function, long a, long b, long c, long d, long e, long f);

    private static native int noop0(long heartbeat, long event, long nowNs, long decision);

    private static native long address0(ByteBuffer buffer);
}
