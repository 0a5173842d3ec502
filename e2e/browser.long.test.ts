import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { startGoogle, startLinear, userOf } from './accounts.ts'
import { chromiumPath, newPage, takeScreenshots as take } from './chromium.ts'
import { temporaryDirectory } from './command.ts'
import { isFull, shareOf } from '../packages/testing/src/runs.ts'

const containing = (part: string): unknown => expect.stringContaining(part)
/** For people who want to look at the pages. */
const takeScreenshots: typeof take = isFull ? take : () => Promise.resolve()
const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'

describe.runIf(shouldRun)('in Chromium', () => {
  test.for([
    ['Linear', startLinear, 'ListTeams', '{}', 'Lodestar'],
    ['Google', startGoogle, 'SearchFiles', '{"query":"report"}', 'robin.vance@lodestar.example'],
  ] as const)('a user signs in to %s, and the login is refreshed, revoked and removed', async ([name, vendor, tool, args, known]) => {
    const { command, login, modes, stored, age, expire, revoke } = await userOf(await vendor())
    const signIn = async () => {
      const { address, finished } = await login()
      const page = await newPage()
      await page.goto(address)
      await takeScreenshots(page, `${name}-consent`)
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByRole('heading', { name: `Signed in to ${name}` }).waitFor()
      await takeScreenshots(page, `${name}-done`)
      expect(await finished()).toMatchObject({ code: 0, output: containing('Robin Vance'), errors: '' })
    }
    await signIn()
    expect(await modes()).toEqual(['600', '700'])
    expect(await command('status')).toMatchObject({ code: 0, output: containing(known) })
    expect(await command('call', tool, args)).toMatchObject({ code: 0, errors: '' })

    for (const end of [age, expire]) {
      const { access_token: before } = await stored()
      await end()
      expect(await command('call', tool, args)).toMatchObject({ code: 0, errors: '' })
      expect((await stored()).access_token).not.toBe(before)
    }

    expect(await revoke()).toBe(200)
    await age()
    expect(await command('call', tool, args)).toMatchObject({ code: 1, output: '', errors: containing('"unauthenticated"') })

    await signIn()
    expect(await command('call', tool, args)).toMatchObject({ code: 0 })
    expect(await command('logout')).toMatchObject({ code: 0, output: containing('revoked and deleted') })
    await expect(stored()).rejects.toThrow('expected')
  })

  const refused = [
    ['Linear', startLinear],
    ['Google', startGoogle],
  ] as const

  test.for(shareOf(refused, 2, 0))('a user refuses %s, and the page says so', async ([name, vendor]) => {
    const { login } = await userOf(await vendor())
    const { address, finished } = await login()
    const page = await newPage()
    await page.goto(address)
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByRole('alert').getByText(`refused at ${name}`).waitFor()
    await takeScreenshots(page, `${name}-refused`)
    expect(await finished()).toMatchObject({ code: 1, output: containing('http'), errors: containing('refused') })
  })

  test("a failed call works after the user has chosen the file in Google's picker or uploaded it there", async () => {
    const { emulator, ...vendor } = await startGoogle()
    emulator.addItem({ name: 'Plan for May.txt', content: 'text' })
    emulator.addItem({ name: 'Folder for May', type: 'application/vnd.google-apps.folder' })
    const { login, server } = await userOf(vendor)
    const { address, finished } = await login()
    const page = await newPage()
    await page.goto(address)
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(await finished()).toMatchObject({ code: 0 })

    const call = await server()
    const rename = (from: string, to: string) => call('FileStorage_RenameFile', { file_path_or_id: from, new_filename: to })
    for (const name of ['Plan for May.txt', 'mine.txt']) {
      expect(await rename(name, 'x')).toMatchObject({
        isError: true,
        result: { error: { code: 'not_found', next: { tool: 'FileStorage_GenerateFilePickerUrl' } } },
      })
    }
    const { result } = await call('FileStorage_GenerateFilePickerUrl')
    const mine = path.join(await temporaryDirectory(), 'mine.txt')
    await writeFile(mine, 'mine')
    await page.goto(String(result['url']))
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('checkbox', { name: 'Plan for May.txt' }).check()
    await page.getByRole('checkbox', { name: 'Folder for May' }).check()
    await page.getByLabel('File', { exact: true }).setInputFiles(mine)
    await takeScreenshots(page, 'picker-before')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('mine.txt is uploaded and chosen.').waitFor()
    await takeScreenshots(page, 'picker')
    await page.getByRole('button', { name: 'Give access' }).click()
    await page.getByRole('heading', { name: 'Your files are ready' }).waitFor()
    await takeScreenshots(page, 'picker-done')

    expect(await rename('Plan for May.txt', 'Plan.txt')).toMatchObject({ isError: false, result: { item: { name: 'Plan.txt' } } })
    expect(await rename('Folder for May', 'Folder')).toMatchObject({ isError: false })
    expect(await rename('mine.txt', 'Mine.txt')).toMatchObject({ isError: false })

    await page.goto(String((await call('FileStorage_GenerateFilePickerUrl')).result['url']))
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByRole('heading', { name: 'No files were chosen' }).waitFor()
    await takeScreenshots(page, 'picker-refused')
  })

  test('without an account the picker is on this machine and accepts an upload', async () => {
    const { server } = await userOf({ app: 'file-storage', url: '', revocation: '', environment: {}, expire: () => undefined })
    const call = await server()
    const rename = { file_path_or_id: 'mine.txt', new_filename: 'Mine.txt' }
    expect(await call('FileStorage_RenameFile', rename)).toMatchObject({ isError: true, result: { error: { code: 'not_found' } } })
    const mine = path.join(await temporaryDirectory(), 'mine.txt')
    await writeFile(mine, 'mine')
    const page = await newPage()
    await page.goto(String((await call('FileStorage_GenerateFilePickerUrl')).result['url']))
    await page.getByLabel('File', { exact: true }).setInputFiles(mine)
    await page.getByRole('button', { name: 'Give access' }).click()
    await page.getByRole('heading', { name: 'Access given' }).waitFor()
    await takeScreenshots(page, 'embedded-done')
    expect(await call('FileStorage_RenameFile', rename)).toMatchObject({ isError: false, result: { item: { name: 'Mine.txt' } } })
  })
})
