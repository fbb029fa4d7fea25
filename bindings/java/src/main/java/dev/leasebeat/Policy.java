package dev.leasebeat;

/** What happens to the work when its lease is no longer provably held. Whatever it is, it is logged and reported. */
public enum Policy {
    /** Nothing more. The default. */
    WARN,
    /** The futures given to {@link KeepAlive#guard} are cancelled, with an interrupt. */
    CANCEL,
    /** {@link KeepAlive#close} throws {@link LeaseLapsedException}, so that the work's result is not taken for good. */
    FAIL_ON_FINALIZE
}
