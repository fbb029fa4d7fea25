package dev.leasebeat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Texts and bytes from and to the native side. */
final class Texts {
    /** Longer than any explanation. */
    private static final int FIRST_TRY = 512;

    /** A function that writes a text: the buffer's address, its capacity, and where the length goes. */
    interface Writer {
        int write(long buffer, long capacity, long length);
    }

    private Texts() {}

    /** The text, or null where there is none. */
    static String read(Writer writer) {
        for (int capacity = FIRST_TRY; ; ) {
            Block block = new Block(8 + capacity);
            int status = writer.write(block.address + 8, capacity, block.address);
            block.keep();
            if (status == Function.NONE) return null;
            int length = Math.toIntExact(block.memory.getLong(0));
            // One more for the NUL.
            if (length < capacity) {
                Function.check(status);
                return string(block.memory, 8, length);
            }
            capacity = length + 1;
        }
    }

    /** A name that the library gives a number; {@code kind} is one of {@link Function}'s. */
    static String name(int kind, int code) {
        Block block = new Block(FIRST_TRY);
        int length = Native.CALLS.call(Function.NAME, kind, code, block.address, FIRST_TRY, 0, 0);
        block.keep();
        return string(block.memory, 0, Math.min(length, FIRST_TRY));
    }

    private static String string(ByteBuffer memory, int from, int length) {
        byte[] bytes = new byte[length];
        memory.get(from, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
