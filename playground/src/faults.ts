// What can go wrong, and where in time.

/** In the order in which they are offered. */
export const kindNames = ['lost-request', 'lost-response', '503', '429', 'spike', 'suspend', 'partition'] as const

export type Kind = (typeof kindNames)[number]

export interface Fault {
  kind: Kind
  /** When, in ms. A fault without a length strikes the first attempt sent from then on. */
  at: number
  /** What its kind says, in ms: see `kinds`. 0 where it says nothing. */
  amount: number
}

export interface About {
  label: string
  /** One line for who has not met it. */
  what: string
  /** What `amount` is, where it is anything. */
  amount: string | null
  usual: number
  /** Whether it lasts from `at` for `amount`, instead of striking one attempt. */
  lasts: boolean
}

export const kinds: Record<Kind, About> = {
  'lost-request': {
    label: 'Lost request',
    what: 'The next request never reaches the server.',
    amount: null,
    usual: 0,
    lasts: false,
  },
  'lost-response': {
    label: 'Lost response',
    what: 'The server extends the lease, but its answer never comes.',
    amount: null,
    usual: 0,
    lasts: false,
  },
  '503': { label: '503', what: 'The server refuses the next request, and applies nothing.', amount: null, usual: 0, lasts: false },
  '429': { label: '429', what: 'The server throttles the next request.', amount: 'Retry-After', usual: 5_000, lasts: false },
  spike: { label: 'Slow answer', what: 'The next round trip takes so much longer.', amount: 'longer by', usual: 3_000, lasts: false },
  suspend: {
    label: 'Suspend',
    what: 'The host sleeps and its clock stands still; it reports timing-lost when it wakes.',
    amount: 'for',
    usual: 20_000,
    lasts: true,
  },
  partition: { label: 'Partition', what: 'Nothing passes between host and server.', amount: 'for', usual: 15_000, lasts: true },
}

/** The most faults of one run, and the longest that one can be. */
export const FAULTS_MAX = 40
export const AMOUNT_MAX = 3_600_000
