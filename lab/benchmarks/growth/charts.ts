// The pictures of growth, drawn from the results by Vega-Lite: light and dark, on logarithmic axes, with a label at the end of each line
// and a dashed line for the limit, so that they are readable without colour.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import type { SeriesResult } from './series.ts'

const images = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'images')

const themes = {
  light: { ink: '#1f2328', faint: '#59636e', grid: '#d1d9e0', server: '#0550ae' },
  dark: { ink: '#f0f6fc', faint: '#9198a1', grid: '#3d444d', server: '#58a6ff' },
} as const
type Theme = (typeof themes)[keyof typeof themes]

interface Line {
  readonly label: string
  readonly isLimit: boolean
  readonly points: readonly { readonly size: number; readonly value: number }[]
}

interface Panel {
  readonly title: string
  readonly subtitle: string
  readonly unit: string
  readonly lines: readonly Line[]
}

/** Writes both pictures. */
export async function drawGrowth(series: readonly SeriesResult[]): Promise<void> {
  mkdirSync(images, { recursive: true })
  for (const [name, theme] of Object.entries(themes)) {
    const { spec } = compile(specOf(series.flatMap(panelsOf), theme))
    const svg = await new View(parse(spec), { renderer: 'none' }).toSVG()
    writeFileSync(path.join(images, `growth-${name}.svg`), `${svg}\n`)
  }
}

/** Time beside the limit, and memory. */
function panelsOf({ job, unit, points, exponents }: SeriesResult): Panel[] {
  const at = (valueOf: (point: (typeof points)[number]) => number | null | undefined) =>
    points.flatMap((point) => {
      const value = valueOf(point)
      return typeof value === 'number' ? [{ size: point.size, value }] : []
    })
  const rising = (exponent: number | null) => (exponent === null ? '' : `, exponent ${exponent}`)
  const ours: Line = { label: 'server', isLimit: false, points: at(({ ms }) => ms.median) }
  const limit: Line = { label: 'limit', isLimit: true, points: at(({ limit_ms: ms }) => ms?.median) }
  const memory: Line = { label: 'server', isLimit: false, points: at(({ peak_mb: peak }) => peak) }
  return [
    { title: job, subtitle: `ms${rising(exponents.ms)}`, unit, lines: [ours, limit] },
    { title: 'peak memory', subtitle: `MB${rising(exponents.peak_mb)}`, unit, lines: [memory] },
  ]
}

function specOf(panels: readonly Panel[], theme: Theme): TopLevelSpec {
  const { ink, faint, grid } = theme
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'transparent',
    config: {
      font: 'system-ui, sans-serif',
      view: { stroke: null },
      axis: {
        labelColor: ink,
        titleColor: faint,
        gridColor: grid,
        domainColor: grid,
        tickColor: grid,
        labelFontSize: 11,
        titleFontSize: 11,
      },
      title: { color: ink, fontSize: 12, anchor: 'start', subtitleColor: ink, subtitleFontSize: 12 },
    },
    columns: 2,
    spacing: { row: 26, column: 48 },
    concat: panels.map((panel) => panelSpec(panel, theme)),
  }
}

function panelSpec({ title, subtitle, unit, lines }: Panel, { ink, faint, server }: Theme) {
  const values = lines.flatMap(({ label, isLimit, points }) =>
    points.map((point, index) => ({
      ...point,
      line: label,
      kind: isLimit ? 'limit' : 'server',
      label: index === points.length - 1 ? label : '',
    })),
  )
  const { xs, ys } = { xs: values.map(({ size }) => size), ys: values.map(({ value }) => value) }
  const scale = { type: 'log' } as const
  return {
    title: { text: title, subtitle, frame: 'group' as const, limit: 0 },
    width: 320,
    height: 130,
    data: { values },
    encoding: {
      x: {
        field: 'size',
        type: 'quantitative' as const,
        scale: { ...scale, domain: [Math.min(...xs), Math.max(...xs)], nice: false },
        axis: { title: unit, format: '~s', values: powersWithin(xs).filter((power) => power <= Math.max(...xs)), grid: false },
      },
      y: {
        field: 'value',
        type: 'quantitative' as const,
        scale: { ...scale, domain: domainOf(ys), nice: false },
        axis: { title: null, format: '~s', values: powersWithin(ys) },
      },
    },
    layer: [
      {
        mark: { type: 'line' as const, strokeWidth: 2 },
        encoding: {
          detail: { field: 'line', type: 'nominal' as const },
          color: colored(server, faint),
          strokeDash: {
            field: 'kind',
            type: 'nominal' as const,
            legend: null,
            scale: {
              domain: ['server', 'limit'],
              range: [
                [1, 0],
                [5, 4],
              ],
            },
          },
        },
      },
      {
        mark: { type: 'point' as const, size: 30, filled: true, opacity: 1 },
        encoding: {
          color: colored(server, faint),
          shape: {
            field: 'kind',
            type: 'nominal' as const,
            legend: null,
            scale: { domain: ['server', 'limit'], range: ['circle', 'square'] },
          },
        },
      },
      ...(['server', 'limit'] as const).map((kind) => ({
        transform: [{ filter: `datum.kind === '${kind}'` }],
        // Two lines that end at the same place have their labels one above the other.
        mark: { type: 'text' as const, align: 'left' as const, dx: 7, dy: kind === 'server' ? -5 : 6, fontSize: 11, color: ink },
        encoding: { text: { field: 'label', type: 'nominal' as const } },
      })),
    ],
  }
}

const colored = (server: string, limit: string) => ({
  field: 'kind',
  type: 'nominal' as const,
  legend: null,
  scale: { domain: ['server', 'limit'], range: [server, limit] },
})

/** From the power of ten below all values to the one above. */
const domainOf = (values: readonly number[]) => [
  10 ** Math.floor(Math.log10(Math.min(...values))),
  10 ** Math.ceil(Math.log10(Math.max(...values))),
]

/** The powers of ten between the lowest and the highest value, and next to them. */
function powersWithin(values: readonly number[]): number[] {
  const [low = 1, high = 1] = domainOf(values)
  return Array.from({ length: Math.round(Math.log10(high / low)) + 1 }, (_, index) => low * 10 ** index)
}
