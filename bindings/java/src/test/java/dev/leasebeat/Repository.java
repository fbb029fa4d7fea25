package dev.leasebeat;

import java.nio.file.Path;

/** Where the project lies that these tests are of. */
final class Repository {
    private Repository() {}

    static Path file(String path) {
        return Path.of(System.getProperty("leasebeat.repository")).resolve(path).normalize();
    }
}
