import type { OpenVendor, Vendor } from './vendor.ts'

/** A vendor on a real socket, and the options for its account. */
interface VendorAddress extends Pick<OpenVendor, 'options'> {
  readonly url: string
}

/** Variables that connect each command to a vendor at `url`, with all its tools. */
export function environmentOf(vendor: Vendor, address: VendorAddress): Record<string, string> {
  return { ...accountOf(vendor, address), MCP_TOOLKITS_TOOLSETS: 'all' }
}

function accountOf({ server }: Vendor, { url, options }: VendorAddress): Record<string, string> {
  const { apiKey, accessToken } = options
  if (server.name === 'issue-tracker') return { ISSUE_TRACKER_API_KEY: String(apiKey), ISSUE_TRACKER_API_URL: `${url}/graphql` }
  if (server.name === 'file-storage') return { FILE_STORAGE_ACCESS_TOKEN: String(accessToken), FILE_STORAGE_API_URL: url }
  return { EVENT_PIPELINE_API_KEY: String(apiKey), EVENT_PIPELINE_API_URL: `${url}/v1` }
}
