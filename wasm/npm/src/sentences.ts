// Generated from the kernel by `cargo xtask npm`.

export const numbersText = [
  'lead {0} ms, attempt budget unbounded: the request timeout is unknown',
  'lead {0} ms, attempt budget {1} ms, margin {2} ms',
  'lead {0} ms, attempt budget {1} ms, margin {2} ms, reserve {3} ms, window {4} ms',
  'grant {0} ms',
  'grant {0} ms: unmeasured, or an echo of the time between beats',
] as const

export const remedyText = [
  'no lead is proved: measure each round trip on a monotonic clock, and see that the lease outlasts it',
  'enforce a request timeout; for this lease keep it below {0} ms',
  'enforce a request timeout, and ask for a longer lease',
  'request timeout {0} ms needs a lease above {1} ms; for this lease keep it below {2} ms',
  'no request timeout is short enough: with these round trips the lease must exceed {0} ms',
] as const

export const wrongText = [
  'status {0} is neither 200 nor 4xx nor 5xx',
  'more than {0} characters',
  'below {0}',
  'not {0}',
  'key {0} is missing',
  'none of {0}',
  'Retry-After is not decimal seconds',
  'the text ends too early',
  'something follows the JSON text',
  'no JSON',
  'nested more than 16 deep',
  'no UTF-8',
  'unescaped control character',
  'no escape that JSON has',
  'half a surrogate pair',
  'unknown key',
  'key given twice',
  'not 64 lower-case hexadecimal digits',
  'not written as an integer',
  'outside int64',
  'granted without a reservation_id',
  'no error code of the protocol',
] as const
