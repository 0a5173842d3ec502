import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { isObject, member, parseJson } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { servers } from '../servers.ts'
import { inspectorEnvironment, inspectorMain } from './clients.ts'
import { runNode, temporaryDirectory } from './command.ts'

/** Runs the Inspector in front of a built server. */
async function inspect(name: string, ...options: readonly string[]) {
  const main = path.join(import.meta.dirname, '..', 'apps', name, 'dist', 'main.js')
  const args = [inspectorMain, '--cli', process.execPath, main, '--format', 'json', ...options]
  return runNode(args, { environment: inspectorEnvironment(await temporaryDirectory()) })
}

test.for(servers)('the Inspector has no error and no warning about the tools of $name', async ({ name }) => {
  const { code, errors } = await inspect(name, '--method', 'tools/list', '--strict')
  expect(code, errors).toBe(0)
  expect(errors).not.toMatch(/^(?:Error|Warning): tool/m)
})

// The suite `@modelcontextprotocol/conformance` has no scenario for apps: this test, the extension's schemas and its bridge stand in.
test.for(servers)(
  'the Inspector finds the page of each app of $name, which asks for no origin and no permission',
  async ({ name, withDefinition }) => {
    const { code, errors, output } = await inspect(name, '--method', 'tools/list', '--app-info', '--advertise-apps')
    expect(code, errors).toBe(0)
    const shown = output
      .trim()
      .split('\n')
      .map(parseJson)
      .filter((tool) => member(tool, 'hasApp') === true)
    expect(shown.length > 0).toBe(await withDefinition(({ load }) => Promise.resolve(load.apps !== undefined)))
    for (const { toolName, resourceUri, ...rest } of shown.filter(isObject)) {
      expect(rest, String(toolName)).toEqual({ hasApp: true, prefersBorder: true, resourceMimeType: 'text/html;profile=mcp-app' })
      expect(resourceUri).toMatch(/^ui:\/\//)
    }
  },
)

const skillsOf = (name: string) => path.join(import.meta.dirname, '..', 'apps', name, 'skills')
const skilled = servers.filter(({ name }) => existsSync(skillsOf(name)))

test.for(skilled)('the Inspector verifies the skills of $name and their digests', async ({ name }) => {
  const skills = readdirSync(skillsOf(name)).length
  const verify = ['--method', 'skills/list', '--verify', '--require-digests']
  const { code, errors } = await inspect(name, '-e', 'MCP_TOOLKITS_TOOLSETS=all', ...verify)
  expect(code, errors).toBe(0)
  expect(errors).toContain(`Verified ${skills} skills and ${skills} files: no conformance errors.`)
})
