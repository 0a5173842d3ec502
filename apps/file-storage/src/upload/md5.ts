// A separate module, so that it loads with the first upload: a bundle finds a CommonJS package's names only in a static import.
export { createMD5 } from 'hash-wasm'
