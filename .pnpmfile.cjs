// A package that is bundled names what is in its bundle among its devDependencies, because it is published without dependencies. `npm start`
// installs dependencies alone, so here they are that: all but the tools of tests and builds, and the clients that drive an emulator in its tests.
const tools = /^(?:@mcp-toolkits\/(?:bundle|testing)|@modelcontextprotocol\/client|@types\/.+|ajv|fast-check|vitest)$/
const clients = /^(?:@(?:customerio|googleapis|rudderstack|segment)\/.+|customerio-node|google-drive-mock)$/

module.exports = {
  hooks: {
    readPackage(manifest) {
      if (manifest.devDependencies?.['@mcp-toolkits/bundle'] === undefined) return manifest
      const isTool = ([name]) => tools.test(name) || (manifest.name.endsWith('-emulator') && clients.test(name))
      const entries = Object.entries(manifest.devDependencies)
      manifest.dependencies = { ...manifest.dependencies, ...Object.fromEntries(entries.filter((entry) => !isTool(entry))) }
      manifest.devDependencies = Object.fromEntries(entries.filter(isTool))
      return manifest
    },
  },
}
