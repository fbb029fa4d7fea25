package dev.leasebeat;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/** By {@code java.lang.foreign}, final since Java 22. */
final class ForeignBridge extends Bridge {
    private static final MethodHandle HANDLE;
    private static final MethodHandle TICK;
    private static final MethodHandle CALL;
    private static final MethodHandle NOOP;

    static {
        NativeLibrary.load();
        // They take less than a microsecond and call nothing back, so the thread need not leave Java's state for them.
        Linker.Option fast = Linker.Option.critical(false);
        HANDLE = function("leasebeat_handle", fast, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        TICK = function("leasebeat_tick", fast, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        NOOP = function("leasebeat_java_noop", fast, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        // Decoding a long answer is among these, and a critical call would hold up a garbage collection.
        CALL = Linker.nativeLinker().downcallHandle(
                address("leasebeat_java_call"),
                FunctionDescriptor.of(
                        JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    private ForeignBridge() {}

    static boolean isAvailable() {
        return true;
    }

    static Bridge open() {
        return new ForeignBridge();
    }

    private static MethodHandle function(String name, Linker.Option option, MemoryLayout... arguments) {
        return Linker.nativeLinker().downcallHandle(
                address(name), FunctionDescriptor.of(JAVA_INT, arguments), option);
    }

    private static MemorySegment address(String name) {
        return SymbolLookup.loaderLookup().find(name)
                .orElseThrow(() -> new NativeLibraryException("the native library has no " + name, null));
    }

    @Override
    int handle(long heartbeat, long event, long nowNs, long decision) {
        try {
            return (int) HANDLE.invokeExact(heartbeat, event, nowNs, decision);
        } catch (Throwable error) {
            throw impossible(error);
        }
    }

    @Override
    int tick(long heartbeat, long nowNs, long decision) {
        try {
            return (int) TICK.invokeExact(heartbeat, nowNs, decision);
        } catch (Throwable error) {
            throw impossible(error);
        }
    }

    @Override
    int call(int function, long a, long b, long c, long d, long e, long f) {
        try {
            return (int) CALL.invokeExact(function, a, b, c, d, e, f);
        } catch (Throwable error) {
            throw impossible(error);
        }
    }

    @Override
    int noop(long heartbeat, long event, long nowNs, long decision) {
        try {
            return (int) NOOP.invokeExact(heartbeat, event, nowNs, decision);
        } catch (Throwable error) {
            throw impossible(error);
        }
    }

    @Override
    String name() {
        return "ffm";
    }

    /** A C function throws nothing; what comes here is the runtime's own, such as a stack that is full. */
    private static RuntimeException impossible(Throwable error) {
        if (error instanceof Error fatal) throw fatal;
        return new IllegalStateException(error);
    }
}
