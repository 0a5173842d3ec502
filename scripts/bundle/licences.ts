import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { manifestOf, type ThirdParty } from './third-party.ts'

/** Licences that let a bundle be passed on under MIT as long as their text goes along (https://spdx.org/licenses/). */
const allowed = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'BlueOak-1.0.0', 'CC0-1.0', 'Unlicense']

/** Packages whose manifest names no licence of SPDX, with what their licence file is. */
const identified: Readonly<Record<string, string>> = { 'url-template': 'BSD-3-Clause' }

/** Packages that are published without the text, with one of the same publisher under the same licence that has it. */
const lent: Readonly<Record<string, string>> = { '@googleapis/drive': 'googleapis-common' }

/** A package of a bundle with what has to be said about it. */
export interface Licensed extends ThirdParty {
  /** SPDX identifier. */
  readonly licence: string
  /** Licence and notices, as the package has them. */
  readonly text: string
}

/** Adds the licence of each package. Throws for one that may not be passed on, or that has no text to pass on with it. */
export function licensed(parties: readonly ThirdParty[]): Licensed[] {
  return parties.map((party) => {
    const licence = identified[party.name] ?? manifestOf(party.directory)['license']
    const named = `${party.name} ${party.version}`
    if (typeof licence !== 'string' || !allowed.includes(licence))
      throw new Error(`${named} is under ${JSON.stringify(licence)}, which is not among ${allowed.join(', ')}.`)
    const lender = parties.find(({ name }) => name === lent[party.name])
    const text = textIn(party.directory) ?? (lender && textIn(lender.directory))
    if (text === undefined) throw new Error(`${named} comes without the text of its licence (${licence}).`)
    return { ...party, licence, text }
  })
}

function textIn(directory: string): string | undefined {
  const names = readdirSync(directory).sort()
  const files = names.filter((name) => /^(licen[cs]e|copying|notice)([.-]\w+)?$/i.test(name))
  if (files.some((name) => !/^notice/i.test(name)))
    return files.map((name) => readFileSync(path.join(directory, name), 'utf8').trim()).join('\n\n')
  const page = names.find((name) => /^readme(\.md)?$/i.test(name))
  const section =
    page === undefined
      ? undefined
      : /^(?:#+ *licen[cs]e|licen[cs]e\n-+)\s*$([^]*)/im.exec(readFileSync(path.join(directory, page), 'utf8'))?.[1]
  return section && /permission (to use|is hereby granted)|redistribution and use/i.test(section) ? section.trim() : undefined
}

/** The page of licences that goes along with a bundle. */
export function licencePage(packages: readonly Licensed[]): string {
  const sections = packages.map(({ name, version, licence, text, within }) => {
    const carrier = within.length > 0 ? `, within ${within.join(', ')}` : ''
    return `${'='.repeat(80)}\n${name} ${version} (${licence})${carrier}\n${'='.repeat(80)}\n\n${text.replaceAll('\r\n', '\n')}\n`
  })
  const intro = 'This package contains code of the packages below, each under its own licence. What is not listed here is under LICENSE.\n'
  return [intro, ...sections].join('\n')
}
