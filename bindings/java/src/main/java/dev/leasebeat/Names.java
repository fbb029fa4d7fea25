package dev.leasebeat;

import java.util.Locale;

/** Names of constants as the trace format spells them. */
final class Names {
    private Names() {}

    /** {@code STALE_ATTEMPT} is {@code stale-attempt}. */
    static String dashed(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
