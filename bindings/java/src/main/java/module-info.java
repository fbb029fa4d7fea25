/**
 * Keeps a server-granted lease alive: the kernel, a driver on a scheduler, and an adapter for the Cycles REST API.
 *
 * <p>It calls native code, by {@code java.lang.foreign} or by JNI: start Java 22 and later with
 * {@code --enable-native-access=dev.leasebeat} (on the class path, {@code ALL-UNNAMED}).
 */
module dev.leasebeat {
    requires transitive java.net.http;

    exports dev.leasebeat;
}
