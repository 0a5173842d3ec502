export interface CallLimits {
  /** Calls that may be in flight. */
  readonly maxInFlight: number
  /** What the calls in flight may cost together, in bytes; a call that costs more runs alone. */
  readonly maxCost: number
  /** Calls that may wait. */
  readonly maxWaiting: number
  /** How large the waiting calls may be together, in bytes. */
  readonly maxWaitingSize: number
}

/** A call as far as the limits are concerned. */
export interface LimitedCall {
  /** About how many bytes it takes from its start until it is released: its arguments, its result, and copies of both. */
  readonly cost: number
  /** How many bytes it takes while it waits. */
  readonly size: number
  readonly start: () => void
}

/**
 * Limits what one client may have in flight, so that it cannot make the server grow by asking for more than it reads. Calls beyond the
 * limit wait, and beyond a second limit they are refused. They start in their order, but a call that costs too much for the room there is
 * lets others pass: a slow download does not keep a ping waiting.
 */
export class CallLimiter {
  readonly #limits: CallLimits
  readonly #canStart: () => boolean
  /** In the order of their arrival. */
  readonly #waiting = new Set<LimitedCall>()
  readonly #inFlight = new Set<LimitedCall>()
  #cost = 0
  #waitingSize = 0

  /** No call starts while `canStart` returns false; call `startWaiting` when it returns true again. */
  constructor(limits: CallLimits, canStart: () => boolean = () => true) {
    this.#limits = limits
    this.#canStart = canStart
  }

  /** Whether nothing is in flight and nothing waits. */
  get isIdle(): boolean {
    return this.#inFlight.size === 0 && this.#waiting.size === 0
  }

  /** Starts a call at once or when there is room. Returns false, and does nothing, when too many wait. Release each call that was accepted. */
  submit(call: LimitedCall): boolean {
    if (this.#hasSlot() && this.#hasRoom(call.cost)) this.#start(call)
    else if (this.#canWait(call.size)) {
      this.#waiting.add(call)
      this.#waitingSize += call.size
    } else return false
    return true
  }

  /** Ends a call: in flight, it makes room for others; waiting, it never starts. It can be called repeatedly. */
  release(call: LimitedCall): void {
    this.#forget(call)
    if (!this.#inFlight.delete(call)) return
    this.#cost -= call.cost
    this.startWaiting()
  }

  /** Starts what waits, as far as there is room. */
  startWaiting(): void {
    for (const call of this.#waiting) {
      if (!this.#hasSlot()) return
      if (!this.#hasRoom(call.cost)) continue
      this.#forget(call)
      this.#start(call)
    }
  }

  #hasSlot(): boolean {
    return this.#canStart() && this.#inFlight.size < this.#limits.maxInFlight
  }

  #hasRoom(cost: number): boolean {
    return this.#inFlight.size === 0 || this.#cost + cost <= this.#limits.maxCost
  }

  #canWait(size: number): boolean {
    const { maxWaiting, maxWaitingSize } = this.#limits
    if (this.#waiting.size >= maxWaiting) return false
    return this.#waiting.size === 0 || this.#waitingSize + size <= maxWaitingSize
  }

  #start(call: LimitedCall): void {
    this.#inFlight.add(call)
    this.#cost += call.cost
    call.start()
  }

  #forget(call: LimitedCall): void {
    if (this.#waiting.delete(call)) this.#waitingSize -= call.size
  }
}
