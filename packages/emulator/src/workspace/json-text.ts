const tokens = /"(?:[^"\\]|\\[^])*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** JSON with one member a line. Its tokens stay as they were written, so that no number changes; text that is no JSON stays as it is. */
export function indentJson(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  let depth = 0
  let result = ''
  const line = () => `\n${'  '.repeat(depth)}`
  for (const [token] of text.matchAll(tokens)) {
    if (token === '}' || token === ']') depth -= 1
    if ((token === '}' || token === ']') && !/[[{]$/.test(result)) result += line()
    else if (/[[{]$/.test(result) && token !== '}' && token !== ']') result += line()
    else if (result.endsWith(',')) result += line()
    result += token === ':' ? ': ' : token
    if (token === '{' || token === '[') depth += 1
  }
  return result
}
