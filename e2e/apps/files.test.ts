import { member } from '@mcp-toolkits/core/base'
import { connect, type ConnectSettings } from '@mcp-toolkits/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileStorage } from '../../servers.ts'
import { column } from '../skills/script.ts'
import { chromiumPath, picture } from '../chromium.ts'
import { profiles } from './profiles.ts'
import { hostClient, inspectEverywhere, type Scene, showApp } from './stage.ts'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'

async function drive(settings: ConnectSettings = {}) {
  const server = await fileStorage.withDefinition(async (definition) => connect(definition, { embedded: true, ...settings }))
  onTestFinished(() => server[Symbol.asyncDispose]())
  const client = await hostClient(server.fetch)
  const show = (scene: Partial<Scene> = {}) => showApp({ client, tool: 'FileStorage_GetFileTreeStructure', args: {}, ...scene })
  const seersOf = async (file_path_or_id: string) => {
    const { structuredContent } = await client.callTool({ name: 'FileStorage_ListFilePermissions', arguments: { file_path_or_id } })
    return column(member(structuredContent, 'permissions'), 'who')
  }
  return { server, show, seersOf }
}

describe.runIf(shouldRun)('the files', () => {
  test('show content in every host, within 240 pixels, and axe finds nothing serious', async () => {
    const { show } = await drive()
    for (const profile of profiles) await inspectEverywhere('files', profile, await show({ profile }))
  })

  test('are opened, chosen and shared, with who can see it before and after', async () => {
    const { show, seersOf } = await drive()
    const before = await seersOf('Drafts')
    const stage = await show()
    const { app, page, context } = stage
    await app.getByLabel('Open Drafts').press('Enter')
    await app.getByLabel('Letter to the beta teams.txt').check()
    await app.getByLabel('Letter to the beta teams.txt').uncheck()
    expect(await context()).toContain('The person no longer has any files chosen.')
    await app.getByRole('checkbox', { name: 'Drafts' }).check()
    expect(await context()).toMatch(/The person has chosen "Drafts" \(id \S+\); ignore any earlier choice\.$/)
    await app.getByRole('button', { name: 'Share…' }).click()
    await app.getByText(`Now ${before.length} can see it:`).waitFor()
    await app.getByLabel('Email address').pressSequentially('hana.park@partner.example')
    await app.getByLabel('Role').selectOption('commenter')
    await picture(stage.page, 'files sharing')
    await app.getByRole('button', { name: `Share: then ${before.length + 1} can see it` }).press('Enter')
    await app.getByText(`Now ${before.length + 1} can see it:`).waitFor()
    expect(await seersOf('Drafts')).toEqual([...before, 'hana.park@partner.example'].toSorted())
    expect(await context()).toContain('with hana.park@partner.example as commenter. It is done')
    expect(stage.calls.filter(({ key }) => key !== undefined)).toHaveLength(1)
    await app.getByRole('searchbox').fill('agreement')
    await page.keyboard.press('Enter')
    await app.getByRole('button', { name: '← Files' }).click()
    await app.getByLabel('Working agreement.md').waitFor()
  })

  test('are shared one by one, also when who can see the last one comes late', async () => {
    const { show } = await drive()
    const late = Promise.withResolvers<undefined>()
    const stage = await show({
      async answer(call) {
        const isFirst = stage.calls.length === 1
        const answer = await call()
        if (isFirst) await late.promise
        return answer
      },
    })
    const { app, calls } = stage
    await app.getByRole('checkbox', { name: 'Drafts' }).check()
    await app.getByRole('button', { name: 'Share…' }).click()
    await app.getByRole('button', { name: '← Files' }).click()
    await app.getByRole('checkbox', { name: 'Drafts' }).uncheck()
    await app.getByRole('checkbox', { name: 'Hiring' }).check()
    await app.getByRole('button', { name: 'Share…' }).click()
    await app.getByText('can see it:').waitFor()
    await app.getByLabel('Email address').fill('hana.park@partner.example')
    late.resolve(undefined)
    await app.getByLabel('Role').selectOption('writer')
    await app.getByRole('heading', { name: 'Share Hiring' }).waitFor()
    await app.getByRole('button', { name: /^Share: then/ }).click()
    await app.getByRole('status').getByText('You shared "Hiring"').waitFor()
    expect(calls.map(({ tool, args }) => [tool, args['file_path_or_id'] === calls[1]?.args['file_path_or_id']])).toEqual([
      ['ListFilePermissions', false],
      ['ListFilePermissions', true],
      ['ShareFile', true],
      ['ListFilePermissions', true],
    ])
  })

  test('of a tree that was cut are loaded when their folder is opened', async () => {
    const { show } = await drive()
    const whole = await show()
    await whole.app.getByLabel('Open Drafts').click()
    expect(whole.calls).toEqual([])
    const { app, calls } = await show({ args: { limit: 3 } })
    await app.getByRole('button', { name: 'More in My Drive' }).click()
    await app.getByLabel('Open Drafts').press('Enter')
    await app.getByLabel('Letter to the beta teams.txt').check()
    await expect.poll(() => calls.map(({ tool }) => tool)).toEqual(['SearchFiles', 'SearchFiles'])
  })

  test('show who can see them where only apps may ask, and share nothing where nothing may be written', async () => {
    const { server, show } = await drive({ readOnly: true })
    const { app } = await show()
    await app.getByRole('checkbox', { name: 'Drafts' }).check()
    expect(await app.getByRole('button', { name: 'Share…' }).count()).toBe(0)
    const names = (await server.client.listTools()).tools.map(({ name }) => name)
    expect(names).not.toContain('FileStorage_ListFilePermissions')
  })
})
