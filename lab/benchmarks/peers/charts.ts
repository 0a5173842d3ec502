// The charts of the comparison, drawn from the results by Vega-Lite: light and dark, with figures as text, and readable without colour.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import { isOurs } from './catalog.ts'
import type { PeerResults } from './run.ts'

const images = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'images')

const themes = {
  light: { ink: '#1f2328', faint: '#59636e', ours: '#0550ae', peer: '#8c959f' },
  dark: { ink: '#f0f6fc', faint: '#9198a1', ours: '#58a6ff', peer: '#6e7681' },
} as const
type Theme = (typeof themes)[keyof typeof themes]

interface Bar {
  readonly server: string
  readonly value: number
  readonly label: string
}

interface Panel {
  readonly title: string
  readonly bars: readonly Bar[]
}

/** Writes both pictures. */
export async function drawPeers(results: PeerResults): Promise<void> {
  mkdirSync(images, { recursive: true })
  for (const [name, theme] of Object.entries(themes)) {
    const { spec } = compile(specOf(panelsOf(results), theme))
    const svg = await new View(parse(spec), { renderer: 'none' }).toSVG()
    writeFileSync(path.join(images, `peers-${name}.svg`), `${svg}\n`)
  }
}

function panelsOf({ starts, jobs, losses }: PeerResults): readonly Panel[] {
  const ofJob = (job: string, valueOf: (row: PeerResults['jobs'][number]) => number | undefined, unit: string) =>
    jobs.flatMap((row) => {
      const value = row.job === job ? valueOf(row) : undefined
      return value === undefined ? [] : [{ server: row.name, value, label: `${value.toLocaleString('en')}${unit}` }]
    })
  return [
    {
      title: 'Start until the tools are listed, ms',
      bars: starts.map(({ name, ms }) => ({ server: name, value: ms.median, label: `${Math.round(ms.median)} ms` })),
    },
    { title: 'Requests to Linear for a list of 50 issues', bars: ofJob('list 50 issues', ({ requests }) => requests, '') },
    {
      title: 'That list, with 100 ms to Linear',
      bars: ofJob('list 50 issues', ({ ms_at_100: late }) => late && Math.round(late.median), ' ms'),
    },
    {
      title: 'A file in Drive by its path, with 100 ms to Google',
      bars: ofJob('read a file by its path', ({ ms_at_100: late }) => late && Math.round(late.median), ' ms'),
    },
    {
      title: 'An upload of 1 MiB, with 100 ms to Google',
      bars: ofJob('upload 1 MiB', ({ ms_at_100: late }) => late && Math.round(late.median), ' ms'),
    },
    {
      title: 'Of 100 accepted events, lost with a killed process',
      // An SDK that is used in several ways is drawn only in its default use.
      bars: losses
        .filter(({ name }) => !name.includes('maxEventsInBatch'))
        .map(({ name, lost }) => ({ server: name.replace(', by default', ''), value: lost, label: `${lost}` })),
    },
  ]
}

function specOf(panels: readonly Panel[], { ink, faint, ours, peer }: Theme): TopLevelSpec {
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'transparent',
    config: {
      font: 'system-ui, sans-serif',
      view: { stroke: null },
      axis: { labelColor: ink, labelFontSize: 12, labelLimit: 0 },
      title: { color: ink, fontSize: 13 },
    },
    spacing: 22,
    vconcat: panels.map(({ title, bars }) => ({
      title: { text: title, anchor: 'start', frame: 'group' },
      width: 380,
      height: { step: 24 },
      data: { values: bars.map((bar) => ({ ...bar, kind: isOurs(bar.server) ? 'ours' : 'peer' })) },
      encoding: {
        y: {
          field: 'server',
          type: 'nominal',
          sort: null,
          axis: { title: null, ticks: false, domain: false, labelLimit: 0, minExtent: 210, maxExtent: 210 },
        },
        x: { field: 'value', type: 'quantitative', axis: null, scale: { zero: true } },
      },
      layer: [
        {
          mark: { type: 'bar', cornerRadiusEnd: 3, height: 16 },
          encoding: { color: { field: 'kind', type: 'nominal', legend: null, scale: { domain: ['ours', 'peer'], range: [ours, peer] } } },
        },
        {
          mark: { type: 'text', align: 'left', dx: 6, fontSize: 12, color: faint },
          encoding: { text: { field: 'label', type: 'nominal' } },
        },
      ],
    })),
  }
}
