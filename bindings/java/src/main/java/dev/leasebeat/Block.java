package dev.leasebeat;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Memory that native code reads and writes. The garbage collector frees it, so it is there as long as it is reachable. */
class Block {
    static final int HEARTBEAT_SIZE = 256;
    static final int EVENT_SIZE = 48;
    static final int DECISION_SIZE = 40;
    /** As large as the largest of what is read: a plan, numbers. */
    static final int RESULT_SIZE = 56;

    static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    final ByteBuffer memory;
    final long address;

    Block(int size) {
        NativeLibrary.load();
        memory = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
        address = JniBridge.address(memory);
    }

    /** After a call with an address in it: the memory was needed up to here. */
    final void keep() {
        Reference.reachabilityFence(memory);
    }
}
