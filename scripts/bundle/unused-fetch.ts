/** Takes the place of a fetch that no server uses, so that it is not bundled. */
export default function unusedFetch(): never {
  throw new Error('Every client is given the fetch that it uses.')
}
