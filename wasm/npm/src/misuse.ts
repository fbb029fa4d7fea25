/** A wrong use of the kernel. Nothing has changed, the clock included (L2). */
export class MisuseError extends Error {
  override readonly name = 'MisuseError'
  /**
   * `unexpected-event`: a report of the wrong kind or with nothing in flight, or a second `begin`. `stale-attempt`: the
   * report answers an attempt that is not in flight; usually a late answer, to be dropped.
   */
  readonly code: 'unexpected-event' | 'stale-attempt'

  constructor(code: 'unexpected-event' | 'stale-attempt') {
    super(`the event is dropped: ${code}`)
    this.code = code
  }
}
