const tokens = /"(?:[^"\\]|\\[^])*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** JSON with one member a line. Its tokens stay as they were written, so that no number changes; text that is no JSON stays as it is. */
export function indentJson(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  // The text so far is never looked at: that would copy it for every token.
  const pieces: string[] = []
  let depth = 0
  let last = ''
  for (const [token] of text.matchAll(tokens)) {
    const [opened, closes] = [isOneOf('[{', last), isOneOf(']}', token)]
    if (closes) depth -= 1
    if (closes ? !opened : opened || last === ',') pieces.push(`\n${'  '.repeat(depth)}`)
    pieces.push(token === ':' ? ': ' : token)
    if (isOneOf('[{', token)) depth += 1
    last = token
  }
  return pieces.join('')
}

const isOneOf = (marks: string, token: string) => token.length === 1 && marks.includes(token)
