import { expect } from 'vitest'
import { personAt, type startCompany, titleOf } from './setup.ts'

type Company = Awaited<ReturnType<typeof startCompany>>

/** Connects an account for each profile. */
export async function connected(company: Company, subject: string, ...profiles: readonly string[]) {
  for (const profile of profiles) {
    const end = await personAt(company, subject).follow((await company.linkFor(subject, { profile })).url)
    expect(titleOf(end)).toBe('Connected to Linear')
  }
}

/** A browser that is signed in, and its accounts page. */
export async function signedIn(company: Company, subject: string) {
  const browser = personAt(company, subject)
  const start = await browser.open(`${company.url}/accounts`)
  expect(titleOf(start)).toBe('Your accounts in Issue Tracker')
  const page = await browser.walk(`${company.url}/accounts`, (each) =>
    each.text.includes('Sign in</button>') || each.url.includes('/interaction/') ? browser.answer(each) : undefined,
  )
  expect(page.url).toBe(`${company.url}/accounts`)
  return { ...browser, page, cookie: browser.cookies(company.url), form: /name="form" value="([^"]+)"/.exec(page.text)?.[1] ?? '' }
}

export const post = (company: Company, path: string, { cookie = '', ...fields }: Readonly<Record<string, string>>, headers = {}) =>
  fetch(`${company.url}${path}`, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields), headers: { cookie, ...headers } })
