/** A variable of the environment that a server reads. */
export interface Variable {
  readonly name: string
  /** What it is for, in a sentence that a form can show. */
  readonly about: string
  readonly secret?: true
  readonly choices?: readonly string[]
  /** What holds when it is not set. */
  readonly standard?: string
  /** Whether only servers with a sign-in have a use for it. */
  readonly forSignIn?: true
  /** What a form calls it; absent for what no form asks for. */
  readonly field?: string
}

/** How a server is offered to people: in registries, as a bundle, in its README. Only the generator reads it. */
export interface Distribution {
  /** What it does, in at most 100 characters. */
  readonly summary: string
  /** The variables of this server alone. */
  readonly variables: readonly Variable[]
  /** How a person connects an account where the form of a bundle is all there is. */
  readonly accountHint: string
  /** What the embedded default is to somebody who tries the server. */
  readonly embeddedDescription: string
  readonly privacy: {
    /** Who receives what is sent. */
    readonly recipient: string
    readonly policy: string
    /** What leaves this machine, and what is kept on it. */
    readonly told: readonly string[]
  }
}

/** The variables that every server reads, which stand for its options. */
export const sharedVariables: readonly Variable[] = [
  { name: 'MCP_TOOLKITS_EMBEDDED', about: '1: always the embedded default; 0: never; unset: where no account is configured.' },
  { name: 'MCP_TOOLKITS_READ_ONLY', about: '1: refuse every write, and list only the tools that read.', standard: '0' },
  { name: 'MCP_TOOLKITS_TOOLS', about: 'Offer only these tools, separated by commas.' },
  { name: 'MCP_TOOLKITS_TOOL_NAMES', about: 'How tool names are advertised.', choices: ['safe', 'canonical'], standard: 'safe' },
  { name: 'MCP_TOOLKITS_DATA_DIR', about: 'The directory for logins, embedded data and what waits to be sent.' },
  { name: 'MCP_TOOLKITS_PROFILE', about: 'The login to use, where there are several.', standard: 'default', forSignIn: true },
  {
    name: 'MCP_TOOLKITS_LOG_LEVEL',
    about: 'What is logged on standard error.',
    choices: ['silent', 'error', 'warn', 'info', 'debug'],
    standard: 'info',
  },
  { name: 'MCP_TOOLKITS_HTTP_TOKEN', about: 'The bearer token that clients of the HTTP server send.', secret: true },
]
