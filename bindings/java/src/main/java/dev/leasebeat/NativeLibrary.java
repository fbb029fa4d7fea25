package dev.leasebeat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/** Loads the native file: the one in the jar for this platform, or the one that {@code leasebeat.library} names. */
final class NativeLibrary {
    /** The path of a native file to load instead of the jar's. */
    static final String PROPERTY = "leasebeat.library";

    private NativeLibrary() {}

    /** Loads it once, into the class loader of this package. */
    static void load() {
        Loaded.check();
    }

    /** A class is initialised once, however many threads want it. */
    private static final class Loaded {
        static {
            String path = System.getProperty(PROPERTY);
            if (path == null) loadFromJar();
            else loadFile(Path.of(path).toAbsolutePath(), "the library that " + PROPERTY + " names");
        }

        static void check() {}
    }

    /** {@code linux-x86_64} and the like: how the jar's folders are named. */
    static String platform(String system, String architecture) {
        String os = system.toLowerCase(Locale.ROOT);
        String arch = architecture.toLowerCase(Locale.ROOT);
        String first = os.startsWith("mac") ? "macos" : os.startsWith("windows") ? "windows" : os.replace(' ', '-');
        String second = switch (arch) {
            case "amd64", "x86-64" -> "x86_64";
            case "arm64" -> "aarch64";
            default -> arch;
        };
        return first + "-" + second;
    }

    private static void loadFromJar() {
        String platform = platform(System.getProperty("os.name"), System.getProperty("os.arch"));
        String name = System.mapLibraryName("leasebeat-java");
        try (InputStream in = open(platform, name)) {
            // In a folder of its own that only this user can write: nobody puts another file in its place.
            Path folder = Files.createTempDirectory("leasebeat-");
            Path file = folder.resolve(name);
            try {
                Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
                loadFile(file, "the library unpacked into java.io.tmpdir");
            } finally {
                remove(file);
                remove(folder);
            }
        } catch (IOException error) {
            throw new NativeLibraryException("the native library cannot be unpacked into "
                    + System.getProperty("java.io.tmpdir") + "; set java.io.tmpdir, or " + PROPERTY, error);
        }
    }

    /** A platform that the jar does not serve is an error that says so. */
    static InputStream open(String platform, String name) {
        InputStream in = NativeLibrary.class.getResourceAsStream("/META-INF/native/" + platform + "/" + name);
        if (in == null) {
            throw new NativeLibraryException("this jar has no native library for " + platform + ": no META-INF/native/"
                    + platform + "/" + name + "; build one, and name it by -D" + PROPERTY + "=PATH", null);
        }
        return in;
    }

    private static void loadFile(Path file, String what) {
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError error) {
            throw new NativeLibraryException(what + " cannot be loaded: " + file + "; if that folder is mounted noexec, set"
                    + " java.io.tmpdir, or " + PROPERTY, error);
        }
    }

    /** Once loaded the file is not needed; where the system keeps it busy it goes when Java ends. */
    private static void remove(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException busy) {
            path.toFile().deleteOnExit();
        }
    }
}
