import type { Hono, MiddlewareHandler } from 'hono'

/** Further routes of the emulator itself. */
export interface ControlExtension {
  /** `guard` refuses requests without the token. */
  readonly addRoutes: (app: Hono, guard: MiddlewareHandler) => void
  /** Called before the seed is restored. */
  readonly reset: () => void
}
