const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * The elements of the array under `property` of a JSON object, each exactly as it was written: parsing and writing again would
 * change lengths, escapes and long numbers. `json` must be valid, and its last `property` an array.
 */
export function elements(json: string, property: string): string[] {
  let found: string[] = []
  let depth = 0
  let key: unknown
  let inArray = false
  let start: number | undefined
  let previous = { token: '', end: 0 }
  for (const { 0: token, index } of json.matchAll(tokens)) {
    if (depth === 1 && token === ':') key = JSON.parse(previous.token)
    if (inArray && depth === 2 && (token === ',' || token === ']')) {
      if (start !== undefined) found.push(json.slice(start, previous.end))
      start = undefined
    } else if (inArray) {
      start ??= index
    }
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    if (depth === 1) inArray = false
    if (depth === 2 && token === '[' && !inArray && key === property) {
      inArray = true
      found = []
    }
    previous = { token, end: index + token.length }
  }
  return found
}
