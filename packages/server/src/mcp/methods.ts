import type { McpServer, Result, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server'

/** Accepts any parameters: the handler checks them. */
const params: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'mcp-toolkits', validate: (value) => ({ value }) },
}

/** Answers requests that startup does not need, with code loaded by the first such request. */
export function answerMethods<Method extends string>(
  { server }: McpServer,
  methods: readonly Method[],
  answer: (request: { readonly method: Method; readonly params: unknown }, context: ServerContext) => Promise<Result>,
): void {
  for (const method of methods)
    server.setRequestHandler(method, { params }, async (given, context) => answer({ method, params: given }, context))
}
