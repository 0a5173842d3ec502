/** Stands in for a fetch that no server uses, so that the real one is not bundled. */
export default function unusedFetch(): never {
  throw new Error('Every client is given the fetch that it uses.')
}
