export { type AsyncStore, type AsyncStoreOptions, type ChangeWatch, openAsyncStore } from './async-store.ts'
export { blob, type Columns, integer, nullable, type RowOf, text } from './columns.ts'
export { StoreError, StoreLocked, type StoreProblem } from './errors.ts'
export { openStore, type SqlParameters, type Store, type StoreOptions } from './store.ts'
