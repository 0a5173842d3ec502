// A separate module, so that it loads with the first upload: bundles find a CommonJS package's names only if they are imported statically.
export { createMD5 } from 'hash-wasm'
