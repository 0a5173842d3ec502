// With our servers, every solution leads to the right result, and every verifier notices what is missing and what should not have happened.
import { afterAll, expect, test } from 'vitest'
import { isObject } from '../../packages/core/src/base/json.ts'
import { isFull } from '../../packages/testing/src/runs.ts'
import { type Change, judge } from './judge.ts'
import { builtServers } from './places.ts'
import { page } from './report.ts'
import { playReference } from './run.ts'
import { openVendors } from './session.ts'
import { grades, type Task, vendors } from './task.ts'
import { tasks } from './tasks/index.ts'
import results from './results.json' with { type: 'json' }

/** A server that is kept running knows what earlier tasks have asked for. */
const keepsServers = !isFull
const opened = openVendors({ keepsServers })
afterAll(() => opened[Symbol.asyncDispose]())

/** Fields that say whom a change is about. */
const people = ['assignee', 'emailAddress', 'userId']

/** The change with another person, if the task names one. */
const withOtherPerson = ({ ends }: Task, { fields, ...change }: Change): Change | undefined => {
  const isNamed = (name: string) => ends.some((effect) => effect.table === change.table && typeof effect.fields[name] === 'string')
  const field = people.find((name) => typeof fields[name] === 'string' && isNamed(name))
  return field === undefined ? undefined : { ...change, fields: { ...fields, [field]: 'someone.else' } }
}

const texts = ['text', 'content', 'body', 'description']

/**
 * A text without one of its lines, or with a different number. In a new text, only lines with a number, or a single line, are known to
 * count; links to Linear do not count.
 */
function spoiledTexts(text: string, before: unknown): string[] {
  const lines = text.split('\n')
  const counts = (line: string) => line.trim() !== '' && (/\d/.test(line) || String(before).includes(line) || lines.length <= 2)
  const shortened = lines.flatMap((line, index) => (counts(line) ? [lines.toSpliced(index, 1).join('\n')] : []))
  const parts = text.split(/(\(https:[^)]*\)|\d+)/)
  const renumbered = parts.flatMap((part, index) => (/^\d/.test(part) ? [parts.with(index, String(Number(part) + 1)).join('')] : []))
  return [...shortened, ...renumbered]
}

/** The change with a spoiled text, or with a property that is missing or wrong. */
function spoil({ fields, before, ...change }: Change): Change[] {
  const withField = (name: string, value: unknown): Change => ({
    ...change,
    fields: { ...fields, [name]: value },
    ...(before && { before }),
  })
  const ofTexts = texts.flatMap((name) => {
    const text = fields[name]
    return typeof text === 'string' ? spoiledTexts(text, before?.[name]).map((each) => withField(name, each)) : []
  })
  const ofProperties = ['properties', 'traits'].flatMap((name) => {
    const properties = fields[name]
    if (!isObject(properties)) return []
    return Object.entries(properties).flatMap(([each, value]) => [
      withField(name, Object.fromEntries(Object.entries(properties).filter(([other]) => other !== each))),
      withField(name, { ...properties, [each]: typeof value === 'number' ? value + 1 : 'another' }),
    ])
  })
  return [...ofTexts, ...ofProperties]
}

test.for(tasks)('$id', async (task) => {
  await using session = await opened.begin(task, builtServers)
  const played = await playReference(session, task)
  // A server may still be sending events when a call is answered.
  await expect.poll(() => session.verdict(played.answer)).toEqual({ missing: [], harm: [] })
  const changes = await session.changes()
  const verdictOn = (others: readonly Change[], answer = played.answer) => judge(task, others, answer)

  // An agent that does nothing.
  for (const said of ['', 'Done, all of it.', task.wish]) expect(verdictOn([], said).missing).not.toEqual([])
  if (task.ends.length > 0) expect(verdictOn([]).missing).toHaveLength(task.ends.length)

  for (const [index, change] of changes.entries()) {
    if (verdictOn([change]).missing.length === verdictOn([]).missing.length) continue
    expect(verdictOn(changes.toSpliced(index, 1)).missing).toHaveLength(1)
    expect(verdictOn([...changes, change]).harm).toEqual([
      expect.stringMatching(change.kind === 'added' ? /^doubled: / : /^(?:changed|deleted): /),
    ])
    for (const spoiled of spoil(change)) {
      const { missing, harm } = verdictOn(changes.with(index, spoiled))
      expect([...missing, ...harm], `a verdict on ${JSON.stringify(spoiled.fields)}`).not.toEqual([])
    }
    const misdirected = withOtherPerson(task, change)
    if (misdirected)
      expect(verdictOn(changes.with(index, misdirected))).toMatchObject({ missing: [expect.anything()], harm: [expect.anything()] })
  }

  for (const world of session.worlds) await world.doHarm()
  expect((await session.verdict(played.answer)).harm).toHaveLength(task.vendors.length)

  const published = results.reference.ours.find(({ id }) => id === task.id) ?? { calls: 0, requests: 0, tokens: 0 }
  expect(played.calls).toBe(published.calls)
  if (keepsServers) expect(played.requests).toBeLessThanOrEqual(published.requests)
  else expect(played.requests).toBe(published.requests)
  expect(Math.abs(played.tokens - published.tokens)).toBeLessThanOrEqual(0.1 * published.tokens)
})

test('a vendor whose task has begun differs in nothing from its beginning', async () => {
  for (const vendor of vendors) {
    const task = tasks.find((each) => each.vendors.length === 1 && each.vendors[0] === vendor)
    if (!task) throw new Error(`There is no task for ${vendor}.`)
    await using session = await opened.begin(task, builtServers)
    expect(await session.changes()).toEqual([])
  }
})

test('there are twenty tasks for each vendor, in three grades, and two across servers', () => {
  expect(new Set(tasks.map(({ id }) => id)).size).toBe(60)
  for (const vendor of vendors) {
    const ofVendor = tasks.filter((task) => task.vendors[0] === vendor)
    expect(ofVendor).toHaveLength(20)
    for (const grade of grades) expect(ofVendor.filter((task) => task.grade === grade).length).toBeGreaterThanOrEqual(5)
  }
  expect(tasks.filter((task) => task.vendors.length > 1)).toHaveLength(2)
})

test('the page has the results: after a change of the report, run this with --update', async () => {
  await expect(page(results)).toMatchFileSnapshot('./results.md')
})
