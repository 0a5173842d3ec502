import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseArtifactUrl } from '../src/code-hosts.ts'
import { workspace } from './workspace.ts'

const known: readonly (readonly [url: string, kind: string, title: string, canonical: string])[] = [
  ['https://github.com/acme/app/pull/12', 'pull_request', 'PR #12: acme/app', 'https://github.com/acme/app/pull/12'],
  ['https://github.com/acme/app/pull/12/files?w=1#diff', 'pull_request', 'PR #12: acme/app', 'https://github.com/acme/app/pull/12'],
  [
    'https://github.com/acme/app/pull/12/commits/1a2b3c4d5e',
    'commit',
    'Commit 1a2b3c4: acme/app',
    'https://github.com/acme/app/pull/12/commits/1a2b3c4d5e',
  ],
  ['github.com/acme/app/pull/1', 'pull_request', 'PR #1: acme/app', 'https://github.com/acme/app/pull/1'],
  ['<https://github.com/acme/app/pull/1>', 'pull_request', 'PR #1: acme/app', 'https://github.com/acme/app/pull/1'],
  ['[the fix](https://github.com/acme/app/pull/1)', 'pull_request', 'PR #1: acme/app', 'https://github.com/acme/app/pull/1'],
  [
    'https://dev.azure.com/acme/shop/_git/web/pullrequest/12',
    'pull_request',
    'PR #12: acme/shop/web',
    'https://dev.azure.com/acme/shop/_git/web/pullrequest/12',
  ],
  [
    'https://dev.azure.com/acme/shop/_workitems/edit/7',
    'issue',
    'Issue #7: acme/shop',
    'https://dev.azure.com/acme/shop/_workitems/edit/7',
  ],
  [
    'https://github.com/acme/app/commit/1A2B3C4D5E6F',
    'commit',
    'Commit 1a2b3c4: acme/app',
    'https://github.com/acme/app/commit/1A2B3C4D5E6F',
  ],
  ['https://github.com/acme/app/issues/7#issuecomment-1', 'issue', 'Issue #7: acme/app', 'https://github.com/acme/app/issues/7'],
  [
    'https://gitlab.com/group/sub/app/-/merge_requests/3/diffs',
    'pull_request',
    'PR #3: group/sub/app',
    'https://gitlab.com/group/sub/app/-/merge_requests/3',
  ],
  [
    'https://gitlab.com/group/app/-/commit/abcdef1234',
    'commit',
    'Commit abcdef1: group/app',
    'https://gitlab.com/group/app/-/commit/abcdef1234',
  ],
  ['https://gitlab.com/group/app/-/issues/9', 'issue', 'Issue #9: group/app', 'https://gitlab.com/group/app/-/issues/9'],
  ['https://gitlab.com/group/app/-/work_items/9', 'issue', 'Issue #9: group/app', 'https://gitlab.com/group/app/-/work_items/9'],
  [
    'https://bitbucket.org/acme/app/pull-requests/4/overview',
    'pull_request',
    'PR #4: acme/app',
    'https://bitbucket.org/acme/app/pull-requests/4',
  ],
  [
    'https://bitbucket.org/acme/app/commits/1a2b3c4',
    'commit',
    'Commit 1a2b3c4: acme/app',
    'https://bitbucket.org/acme/app/commits/1a2b3c4',
  ],
  [
    'https://git.acme.example/projects/APP/repos/core/pull-requests/5',
    'pull_request',
    'PR #5: APP/core',
    'https://git.acme.example/projects/APP/repos/core/pull-requests/5',
  ],
  ['https://codeberg.org/acme/app/pulls/6', 'pull_request', 'PR #6: acme/app', 'https://codeberg.org/acme/app/pulls/6'],
  ['http://git.local:3000/acme/app/issues/8/', 'issue', 'Issue #8: acme/app', 'http://git.local:3000/acme/app/issues/8'],
]

test.for(known)('%s', ([url, kind, title, canonical]) => {
  expect(parseArtifactUrl(url)).toEqual({ kind, title, url: canonical })
})

const unknown = [
  'https://github.com/acme/app',
  'https://github.com/acme/app/pulls',
  'https://github.com/acme/app/pull/new',
  'https://github.com/pull/12',
  'https://github.com/acme/app/commit/xyz',
  'https://github.com/acme/app/tree/main',
  'https://user:secret@github.com/acme/app/pull/1',
  'https://g\u0131thub.com/acme/app/pull/1',
  'https://xn--gthub-n4a.com/acme/app/pull/1',
  'https://github.c\u043em/acme/app/pull/1',
  'ftp://github.com/acme/app/pull/1',
  'javascript:alert(1)//acme/app/pull/1',
  '',
]

test.for(unknown)('%j is not an artifact', (url) => {
  expect(parseArtifactUrl(url)).toBeUndefined()
})

test('any URL is either an artifact on the same host or rejected', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.nat(), (base, number) => {
      for (const url of [base, `${base}/pull/${number}`, `https://host.example/a/b/pull/${number}?${encodeURIComponent(base)}`]) {
        const artifact = parseArtifactUrl(url)
        if (artifact) expect(new URL(artifact.url).origin).toBe(new URL(url).origin)
      }
    }),
  )
})

test('links a page once, whatever form its URL has, and keeps its title', async () => {
  await using server = await workspace()
  const link = async (url: string, title?: string) =>
    server.call('IssueTracker.LinkCodeHostToIssue', { issue: 'ENG-1', code_host_url: url, ...(title !== undefined && { title }) })
  const first = await link('https://github.com/acme/app/pull/12/files', 'The fix')
  expect(first).toMatchObject({ kind: 'pull_request', changed: true, attachment: { title: 'The fix' } })
  expect(await link('https://github.com/acme/app/pull/12#x')).toMatchObject({ changed: false, attachment: { title: 'The fix' } })
  expect(await link('https://github.com/acme/app/issues/12')).toMatchObject({ kind: 'issue', attachment: { title: 'Issue #12: acme/app' } })
  expect(server.emulator.store.attachments().filter((each) => String(each['url']).includes('/acme/app/pull/'))).toHaveLength(1)
})

test.for([
  'http://github.com/acme/app/pull/12',
  'https://www.github.com/acme/app/pull/12',
  'https://github.com/Acme/App/pull/12',
  'http://www.GitHub.com/ACME/app/pull/12/files',
])('%s is already linked', async (url) => {
  await using server = await workspace()
  const link = async (address: string) => server.call('IssueTracker.LinkCodeHostToIssue', { issue: 'ENG-1', code_host_url: address })
  const { attachment } = await link('https://github.com/acme/app/pull/12')
  expect(await link(url)).toMatchObject({ changed: false, attachment })
  expect(await link('https://github.com/acme/app/pull/1')).toMatchObject({ changed: true })
})

test('when two calls link a page at once, only one reports a change', async () => {
  await using server = await workspace()
  const link = async (title: string) =>
    server.call('IssueTracker.LinkCodeHostToIssue', { issue: 'ENG-1', code_host_url: 'https://github.com/acme/app/pull/12', title })
  const results = await Promise.all(['One', 'Two'].map(link))
  expect(results.map(({ changed }) => changed).toSorted()).toEqual([false, true])
  expect(results[0]?.['attachment']).toEqual(results[1]?.['attachment'])
})

test('proposes to attach any other page, but not text that is not a URL', async () => {
  await using server = await workspace()
  const args = { issue: 'ENG-1', code_host_url: 'https://example.com/notes' }
  const error = await server.fails('IssueTracker.LinkCodeHostToIssue', args)
  expect(error).toMatchObject({ code: 'invalid_input', next: { tool: 'IssueTracker_UpdateIssue' } })
  const script = await server.fails('IssueTracker.LinkCodeHostToIssue', { ...args, code_host_url: 'javascript:alert(1)//a/b/pull/1' })
  expect(script).not.toHaveProperty('next')
  expect(server.requests()).toBe(0)
  expect(await server.call('IssueTracker.UpdateIssue', error.next?.arguments)).toHaveProperty('attachment')
})
