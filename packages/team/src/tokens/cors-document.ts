/** Headers for responses that browser clients may use from other origins. */
export const openHeaders = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }

/** Answers OPTIONS, and refuses methods not listed; undefined for listed ones. */
export function answerMethod({ method = '' }: { readonly method?: string | undefined }, methods: readonly string[]): Response | undefined {
  const allow = [...methods, 'OPTIONS'].join(', ')
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { ...openHeaders, 'access-control-allow-methods': allow } })
  return methods.includes(method) ? undefined : new Response(null, { status: 405, headers: { ...openHeaders, allow } })
}

/** A response with a document that anyone may read. */
export function openDocument(request: { readonly method?: string | undefined }, document: object): Response {
  const headers = { ...openHeaders, 'cache-control': 'max-age=300' }
  return answerMethod(request, ['GET', 'HEAD']) ?? Response.json(document, { headers })
}
