/** A class of weaknesses found in other servers, with the tests which show that ours do not have them. */
export interface Weakness {
  readonly name: string
  /** The guarantee that our servers give. */
  readonly promise: string
  /** The tests that show it, as paths from the repository's root. */
  readonly tests: readonly string[]
}

const own = 'e2e/reliability/weaknesses.test.ts'

/** Classes of published vulnerabilities and complaints about MCP servers, 2025 to 2026. */
export const weaknesses: readonly Weakness[] = [
  {
    name: 'Command injection',
    promise: 'No argument reaches a shell. A browser is started without a shell, and only for https addresses of known hosts.',
    tests: [own, 'packages/server/src/account/login/browser.test.ts'],
  },
  {
    name: 'Access to local files',
    promise:
      'No tool reads a local path: `file:` addresses and paths are refused as sources. Downloads write only new files, in the folder that the operator chose.',
    tests: [own, 'packages/server/src/account/tokens/login-store.test.ts'],
  },
  {
    name: 'Requests to internal addresses',
    promise: "A tool that fetches a caller's URL reaches only public addresses, unless the operator allows others.",
    tests: [own, 'packages/core/test/guarded-fetch/hostile-urls.test.ts'],
  },
  { name: 'DNS rebinding', promise: 'Requests with an unexpected Host or Origin are refused.', tests: ['e2e/http.long.test.ts'] },
  {
    name: 'HTTP without authentication',
    promise: 'Without a token, other machines get nothing.',
    tests: ['e2e/http-access.long.test.ts'],
  },
  {
    name: "One client sees another's data",
    promise: "Servers in one process share nothing: each request carries its own server's credential.",
    tests: [own],
  },
  {
    name: 'Denial of service',
    promise: 'Arguments, messages, answers and pages are limited in size, and anything over the limit is refused with a short error.',
    tests: ['e2e/reliability/hostile.test.ts', 'e2e/reliability/sockets.test.ts', 'e2e/stdio-robustness.long.test.ts'],
  },
  {
    name: 'Leaked credentials',
    promise: 'No credential appears in an answer, the log or a stored event, even if the vendor repeats it.',
    tests: ['e2e/reliability/echoing-vendors.test.ts'],
  },
  {
    name: 'OAuth confused deputy',
    promise: "Logins use PKCE, a single-use state and an exact loopback redirect. A caller's token is never passed on.",
    tests: ['packages/server/src/account/login/authorization.test.ts', 'packages/server/src/account/login/login.test.ts'],
  },
  {
    name: 'Prompt injection through hidden text',
    promise: 'Invisible characters are shown as escapes. HTML pages are never passed on.',
    tests: [own, 'packages/server/src/mcp/answers/answer.test.ts'],
  },
  {
    name: 'Query injection',
    promise: "Search text is quoted. Clauses in Drive's syntax are rebuilt from known parts.",
    tests: [own, 'apps/issue-tracker/test/injection.test.ts'],
  },
  {
    name: 'Tools that change after they were approved',
    promise: 'The built servers list exactly the tools that are checked in and reviewed.',
    tests: [own],
  },
  {
    name: 'Supply-chain attacks',
    promise: 'The published packages have no dependencies and no install scripts.',
    tests: [own, 'e2e/packed/package.test.ts'],
  },
  {
    name: 'Writes that happen twice',
    promise: 'A write takes effect once, no matter which request or response is lost.',
    tests: [
      'e2e/reliability/matrix-issue-tracker.test.ts',
      'e2e/reliability/matrix-file-storage.test.ts',
      'e2e/reliability/matrix-event-pipeline.test.ts',
    ],
  },
]
