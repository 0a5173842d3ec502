// Apart, so that it loads with the first upload: a bundle finds the names of a CommonJS package only if they are imported statically.
export { createMD5 } from 'hash-wasm'
