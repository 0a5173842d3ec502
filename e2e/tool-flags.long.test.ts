import path from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { servers } from '../servers.ts'
import { runNode, temporaryDirectory } from './command.ts'

const mainOf = (server: string) => path.join(import.meta.dirname, '..', 'apps', server, 'dist', 'main.js')
const Tools = z.object({
  tools: z.array(z.object({ name: z.string(), inputSchema: z.object({ properties: z.record(z.string(), z.unknown()).default({}) }) })),
})
const data = temporaryDirectory()

/** Runs a server's command on the embedded default. */
async function run(server: string, ...args: readonly string[]) {
  const environment = { MCP_TOOLKITS_EMBEDDED: '1', MCP_TOOLKITS_DATA_DIR: await data }
  return runNode([mainOf(server), ...args], { environment, input: '' })
}
const tracker = async (...args: readonly string[]) => run('issue-tracker', ...args)

describe('call with flags', () => {
  test('does what the same call does with JSON', async () => {
    const { code, output } = await tracker('call', 'CreateIssue', '--team', 'ENG', '--title', 'A "first" issue', '--priority=high')
    expect([code, JSON.parse(output)]).toMatchObject([0, { issue: { title: 'A "first" issue', priority: 'high' } }])
  })

  test('flags override JSON, and options of the command may stand anywhere', async () => {
    const args = ['--limit', '1', '{"limit":2,"keywords":"e"}', '--log-level', 'error', '--include-archived']
    const { code, output } = await tracker('call', 'ListTeams', ...args)
    expect([code, JSON.parse(output)]).toMatchObject([0, { teams: [expect.anything()] }])
  })

  test('another name of a parameter is read as it, where nothing else changes', async () => {
    const { code, output, errors } = await tracker('call', 'getissue', '--issue', 'ENG-9')
    expect([code, errors]).toEqual([0, 'Assuming --issue means --issue-id.\n'])
    expect(JSON.parse(output)).toHaveProperty('issue')
    const written = await tracker('call', 'CreateIssue', '--team', 'ENG', '--title', 'Once', '--body', 'A text')
    expect([written.code, written.errors]).toEqual([0, 'Assuming --body means --description.\n'])
    const { output: found } = await tracker('call', 'ListIssues', '--keywords', 'Once')
    expect(found.match(/"title": "Once"/g)).toHaveLength(1)
  })

  test('a text that is the name of a file is taken as it is, which a line says', async () => {
    const { errors } = await tracker('call', 'CreateIssue', '--team', 'ENG', '--title', '@package.json', '--assignee', '@me')
    expect(errors).toBe(`--title is the literal text "@package.json". To pass that file's text instead: title=@package.json\n`)
  })

  test('lists are given by repetition, and what the tool does not accept is its own error', async () => {
    const { code, errors } = await tracker('call', 'UpdateIssue', '--issue-id', 'NO-1', '--labels-to-add', 'a', '--labels-to-add', 'b')
    expect([code, JSON.parse(errors)]).toMatchObject([1, { error: { code: 'not_found' } }])
    const { errors: refused } = await tracker('call', 'ListTeams', '--limit', 'many')
    expect(refused).toContain('\\"limit\\"')
  })

  test.each([
    [
      ['call', 'CreateIssue', '--titel', 'x'],
      /CreateIssue has no parameter "--titel"\. Did you mean --title\? Try `node .* call CreateIssue --help`\.$/m,
    ],
    [
      ['call', 'CreateIssue', 'team=ENG'],
      'The arguments are not JSON: "team=ENG". Write them as --NAME VALUE, or as a JSON object in quotes.',
    ],
    [
      ['call', 'CreateIssue', '--title', 'x', '[]'],
      /If there are flags too, the JSON must be an object\. Try `node .*main\.js --help`\.$/m,
    ],
    [['tools', 'CreateIssue', 'GetIssue'], /tools takes the name of one tool at most\. Try `node .*main\.js --help`\.$/m],
    [['statsu'], 'There is no command "statsu". Did you mean status?'],
    [['create-issue'], 'There is no command "create-issue". It is a tool: `call CreateIssue` calls it.'],
  ])('%j is a usage error', async (args, said) => {
    const { code, output, errors } = await tracker(...args)
    expect([code, output, errors]).toEqual([2, '', typeof said === 'string' ? expect.stringContaining(said) : expect.stringMatching(said)])
  })
})

describe('the description of a tool', () => {
  test('has its parameters with types, values, defaults and limits, its effect and an example that works', async () => {
    const { code, output } = await tracker('tools', 'CreateIssueRelation')
    expect([code, output.split('\n')[0]]).toEqual([0, 'IssueTracker_CreateIssueRelation: Relate two issues'])
    expect(output).toContain('relation_type (one of ')
    expect(output).toContain('required')
    const projects = (await tracker('tools', 'ListCycles')).output
    expect(projects).toContain('  limit (whole number; default: 20; at least 1; at most 50)')
    const [, example = ''] = /^ {2}.* (call ListCycles --.*)$/m.exec(projects) ?? []
    expect((await tracker(...example.split(' '))).code).toBe(0)
  })

  test('of a toolset has one example, with its toolset', async () => {
    const { output } = await tracker('call', 'BatchCreateIssues', '--toolsets', 'triage', '--help')
    expect(output).toContain('--issues ISSUES … (list of JSON objects; required')
    expect(output.match(/ call BatchCreateIssues .* --toolsets triage$/gm)).toHaveLength(1)
  })

  test('as JSON it is the entry of tools/list', async () => {
    const { output } = await tracker('tools', 'GetIssue', '--json')
    expect(JSON.parse(output)).toMatchObject({ name: 'IssueTracker_GetIssue', inputSchema: { required: ['issue_id'] } })
  })

  test('a misspelt tool that reads is shown, which a line says', async () => {
    const { code, errors, output } = await tracker('call', 'GetIssu', '--help')
    expect([code, errors]).toEqual([0, 'Assuming "GetIssu" means GetIssue.\n'])
    expect(output).toContain('--issue-id')
  })

  test('a misspelt tool that writes is a usage error, and nothing is called', async () => {
    const { code, errors } = await tracker('call', 'CreateIssu', '--team', 'ENG', '--title', 'Exports lack a header')
    expect([code, errors]).toEqual([2, expect.stringContaining('There is no tool "CreateIssu". Did you mean CreateIssue?')])
  })

  test('another word for a tool that writes is a usage error with suggestions', async () => {
    for (const args of [
      ['tools', 'NewIssue'],
      ['call', 'NewIssue', '--help'],
    ]) {
      const { code, errors } = await tracker(...args)
      const [said, data = ''] = errors.split('\n')
      expect([code, said]).toEqual([
        2,
        expect.stringMatching(/There is no tool "NewIssue"\. Did you mean CreateIssue\? Try `node .* tools`\.$/),
      ])
      expect(JSON.parse(data)).toMatchObject({ next: { tool: 'IssueTracker_CreateIssue' } })
    }
  })
})

describe('the flags of one tool', () => {
  test('include the option of call that takes a file of this machine', async () => {
    const upload = (await run('file-storage', 'call', 'UploadFile', '--help')).output
    expect(upload).toContain('  --source-url URL (text; required without --input; at most 8192 characters)')
    expect(upload).toMatch(/\n {2}--input FILE\n {4}Upload a local file instead of --source-url;/)
    expect(upload).toMatch(/Example:\n.* call UploadFile --input FILE\n/)
    for (const name of ['DownloadFile', 'DownloadFileChunk'])
      expect((await run('file-storage', 'call', name, '--help')).output).toMatch(
        /\n {2}--output FILE\n {4}Write the whole content to a new local file/,
      )
    // Listed as parameters of the tool, they are those that a client sends.
    const described = (await run('file-storage', 'tools', 'UploadFile')).output
    expect(described).toContain('  source_url (text; required; at most 8192 characters)')
    expect(described).not.toContain('--input')
  })

  test('are shown with an example that sends an event', async () => {
    const { output } = await run('event-pipeline', 'call', 'TrackUserEvent', '--help')
    const [, json = ''] = /call TrackUserEvent '(\{.*\})'$/m.exec(output) ?? []
    const { code, output: sent } = await run('event-pipeline', 'call', 'TrackUserEvent', json)
    expect([code, JSON.parse(sent)]).toMatchObject([0, { mode: 'execute', outcome: 'delivered', findings: [] }])
  })
})

describe.each(servers.map(({ name, tools }) => [name, tools.length] as const))('%s', (server, count) => {
  test('shows every parameter of every tool as a flag that no option of call hides', async () => {
    const { output } = await run(server, 'tools', '--json')
    const { tools } = Tools.parse(JSON.parse(output))
    const general = (await run(server, '--help')).output
    expect(tools).toHaveLength(count)
    for (const [index, { name, inputSchema }] of tools.entries()) {
      const flags = Object.keys(inputSchema.properties).map((parameter) => `--${parameter.replaceAll('_', '-')}`)
      for (const flag of flags) expect(general, `${name} ${flag}`).not.toMatch(new RegExp(`^  ${flag}\\b`, 'm'))
      // Starting the command for each of fifty tools takes long and proves nothing more.
      if (index % 6 !== 0) continue
      const help = (await run(server, 'call', name, '--help')).output
      for (const flag of flags) expect(help).toContain(`  ${flag}`)
    }
  })
})
