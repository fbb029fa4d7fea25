// Generated from the kernel by `cargo xtask npm`.

/** Why the kernel stopped. Most stops leave a proven lease: see `Heartbeat.fence`. */
export type StopReason =
  | 'closed'
  | 'not-granted'
  | 'create-ambiguous'
  | 'lease-too-short'
  | 'no-safe-retry'
  | 'zero-window-spent'
  | 'no-progress'
  | 'throttled'
  | 'rejected'
  | 'unexpected-status'
  | 'reservation-expired'
  | 'reservation-finalized'
  | 'max-extensions-exceeded'
  | 'tenant-closed'
  | 'not-found'
  | 'remaining-ttl-absent'

/** The rule that decided, by its id in the project's `docs/RULES.md`. */
export type Rule =
  | 'T4'
  | 'T6'
  | 'L1'
  | 'L3'
  | 'L4'
  | 'L5'
  | 'C3'
  | 'C4'
  | 'P4'
  | 'P5'
  | 'R2'
  | 'R3'
  | 'R4'
  | 'R5'
  | 'R6'
  | 'R8'
  | 'F1'
  | 'F3'
  | 'F4'
  | 'F5'
  | 'F6'

/** The protocol's error codes. */
export type ErrorCode =
  | 'INVALID_REQUEST'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'BUDGET_EXCEEDED'
  | 'BUDGET_FROZEN'
  | 'BUDGET_CLOSED'
  | 'RESERVATION_EXPIRED'
  | 'RESERVATION_FINALIZED'
  | 'IDEMPOTENCY_MISMATCH'
  | 'UNIT_MISMATCH'
  | 'OVERDRAFT_LIMIT_EXCEEDED'
  | 'DEBT_OUTSTANDING'
  | 'MAX_EXTENSIONS_EXCEEDED'
  | 'LIMIT_EXCEEDED'
  | 'TENANT_CLOSED'
  | 'INTERNAL_ERROR'

export const stopReasons = 'closed not-granted create-ambiguous lease-too-short no-safe-retry zero-window-spent no-progress throttled rejected unexpected-status reservation-expired reservation-finalized max-extensions-exceeded tenant-closed not-found remaining-ttl-absent'.split(' ') as StopReason[]

export const rules = 'T4 T6 L1 L3 L4 L5 C3 C4 P4 P5 R2 R3 R4 R5 R6 R8 F1 F3 F4 F5 F6'.split(' ') as Rule[]
