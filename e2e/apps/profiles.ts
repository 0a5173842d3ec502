/** A host like those in use: https://modelcontextprotocol.io/extensions/apps/overview */
export interface Profile {
  readonly name: string
  readonly width: number
  /** True if the frame gets the height that the app asks for; otherwise the host measures the page. */
  readonly honoursSize: boolean
  /** False for a host that listens only after the page has loaded. */
  readonly listens: boolean
  readonly sandbox: string
  readonly policy: string
  readonly capabilities: Readonly<Record<string, object>>
  readonly context: Readonly<Record<string, unknown>>
}

/** The policy for an app that names no origins. */
const defaultPolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'"

const variables = {
  '--color-background-primary': 'light-dark(#ffffff, #262624)',
  '--color-background-secondary': 'light-dark(#f5f4ed, #30302e)',
  '--color-text-primary': 'light-dark(#141413, #faf9f5)',
  '--color-text-secondary': 'light-dark(#3d3d3a, #c2c0b6)',
  '--color-border-secondary': 'light-dark(#e6e4dc, #45443f)',
  '--border-radius-md': '8px',
  '--font-sans': 'system-ui, sans-serif',
}

const asSpecified: Profile = {
  name: 'as specified',
  width: 720,
  honoursSize: true,
  listens: true,
  sandbox: 'allow-scripts allow-same-origin',
  policy: defaultPolicy,
  capabilities: { serverTools: {}, updateModelContext: { text: {} }, message: { text: {} }, openLinks: {} },
  context: { theme: 'light', styles: { variables }, displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'] },
}

export const profiles: readonly Profile[] = [
  asSpecified,
  { ...asSpecified, name: 'measures the page', honoursSize: false, context: { theme: 'dark' } },
  {
    ...asSpecified,
    name: 'honours no frames',
    sandbox: 'allow-scripts',
    policy: `${defaultPolicy}; frame-src 'none'; base-uri 'none'`,
    capabilities: { serverTools: {} },
    context: {},
  },
  { ...asSpecified, name: 'listens late', listens: false },
  { ...asSpecified, name: 'a narrow sidebar', width: 320, context: { ...asSpecified.context, theme: 'dark' } },
]

export const [usualHost = asSpecified] = profiles

/** True for the hosts in which axe checks an app: a wide, light one and a narrow, dark one. */
export const isLookedAt = ({ name }: Profile) => name === 'as specified' || name === 'a narrow sidebar'
