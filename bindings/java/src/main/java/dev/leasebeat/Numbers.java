package dev.leasebeat;

import java.util.OptionalLong;

/**
 * The numbers that a decision was based on. Those of the primary path and of the fallback exclude each other.
 *
 * @param leadMs primary: the lead proved at that instant; of a success, its lead floor (P2)
 * @param safetyMarginMs primary (P3)
 * @param attemptBudgetMs primary (P3); empty there: unbounded
 * @param retryReserveMs primary (P3); empty there: unbounded
 * @param windowMs primary: lead - attempt budget - safety margin, signed (R1); empty there: below all numbers
 * @param grantMs fallback: the last measured grant; 0 where it was not measured or not positive (F2)
 * @param clamped fallback: whether the server was found to clamp (F4)
 */
public record Numbers(
        OptionalLong leadMs,
        OptionalLong safetyMarginMs,
        OptionalLong attemptBudgetMs,
        OptionalLong retryReserveMs,
        OptionalLong windowMs,
        OptionalLong grantMs,
        boolean clamped) {}
