// Other people's servers, in the versions that we measure and play with.
import type { Vendor } from '../task.ts'

export interface PeerPackage {
  readonly vendor: Vendor
  readonly version: string
  /** The file that starts the server, in its installation. */
  readonly main: string
  /** Variables, with the keys that the emulators know; `{token}` stands for a token that the person has granted. */
  readonly environment: Readonly<Record<string, string>>
}

/** The packages, by their names on npm. */
export const peerPackages = {
  '@tacticlaunch/mcp-linear': {
    vendor: 'linear',
    version: '1.4.3',
    main: 'dist/index.js',
    environment: { LINEAR_API_TOKEN: 'lin_api_emulator' },
  },
  'mcp-server-linear': {
    vendor: 'linear',
    version: '1.6.0',
    main: 'build/index.js',
    environment: { LINEAR_ACCESS_TOKEN: 'lin_api_emulator' },
  },
  'linear-mcp': {
    vendor: 'linear',
    version: '1.2.0',
    main: 'build/index.js',
    environment: { LINEAR_ACCESS_TOKEN: '{token}' },
  },
  '@piotr-agier/google-drive-mcp': {
    vendor: 'drive',
    version: '2.10.0',
    main: 'dist/index.js',
    environment: { GOOGLE_DRIVE_MCP_ACCESS_TOKEN: 'drive-emulator' },
  },
  'mcp-google-drive': {
    vendor: 'drive',
    version: '1.6.2',
    main: 'dist/index.js',
    environment: {
      GOOGLE_CLIENT_ID: 'lodestar-desktop.apps.googleusercontent.com',
      GOOGLE_CLIENT_SECRET: 'GOCSPX-lodestar-desktop',
      GOOGLE_REFRESH_TOKEN: '{token}',
    },
  },
} as const satisfies Readonly<Record<string, PeerPackage>>
