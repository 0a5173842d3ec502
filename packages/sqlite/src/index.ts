export { type AsyncStore, type AsyncStoreOptions, type ChangeWatch, openAsyncStore } from './async-store.ts'
export { findDamage } from './damage.ts'
export { openOrUndefined, StoreError, StoreLocked, type StoreProblem } from './errors.ts'
export { ageMs, type Moment, presentMoment } from './moment.ts'
export { fileIdentity, refuseLink, setAsideFile } from './private-file.ts'
export { openReplaceableStore } from './replaceable-store.ts'
export { isProcessLockHeld, openProcessLock, type ProcessLock } from './process-lock.ts'
export { type SharedSql, sharedSql } from './shared-sql.ts'
export {
  blob,
  type Columns,
  hasColumns,
  integer,
  nullable,
  openStore,
  type RowOf,
  type SqlParameters,
  type Store,
  type StoreOptions,
  text,
} from './store.ts'
export { runSteps, type Steps, type StoreClock, type WriteOptions } from './write-queue.ts'
