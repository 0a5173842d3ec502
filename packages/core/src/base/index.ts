export { mapInSlices, Mutex, nextTurn, once, raceAbort, runInSlices, type TimeoutOptions, type TimeoutScope, withTimeout } from './async.ts'
export { abortReason, type Clock, systemClock, type Timer } from './clock.ts'
export { dataPath } from './data-path.ts'
export {
  canonicalJson,
  descriptionOf,
  endOfString,
  excessOf,
  isObject,
  jsonBytes,
  JsonNesting,
  type JsonObject,
  jsonUnits,
  mapTexts,
  member,
  parseJson,
  stringMember,
  withoutNulls,
} from './json.ts'
export { listen, type ListenAddress } from './listen.ts'
export {
  type AccountRef,
  type Caller,
  type GrantRows,
  type KnownPerson,
  type PeopleState,
  type PeopleStore,
  type Permission,
  type Person,
  recordOwner,
  type StoredGrant,
  type UnreadablePerson,
} from './people.ts'
export {
  defaultLockWaitMs,
  type ExpiringRecords,
  lazyLocks,
  type LockOptions,
  type Locks,
  type NamedRecords,
  type RecordKey,
  type RecordKind,
  recordsOf,
  type SharedState,
  withCallLock,
} from './shared-state.ts'
