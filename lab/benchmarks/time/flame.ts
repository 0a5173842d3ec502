// Draws a profile as a flame graph, with the caller above what it called: the width of a frame is its share of the processor time.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import type { Frame, Owner } from './profile.ts'

const images = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'images')

const width = 1_000
const rowHeight = 18
/** The width of a character of the labels, in pixels. */
const characterWidth = 6.1
/** Frames with less of the time are not drawn. */
const minShare = 0.01

/** Dark text is readable on all of them, on a light and on a dark page. */
const colors: Readonly<Record<Owner, string>> = { ours: '#9cc4ff', dependency: '#d8c2f0', Node: '#f0d9a8', V8: '#cfd6dd' }
const legend: Readonly<Record<Owner, string>> = { ours: 'our code', dependency: 'a dependency', Node: 'Node', V8: 'V8, GC and native code' }

interface Box {
  readonly from: number
  readonly to: number
  readonly row: number
  readonly label: string
  readonly color: string
}

/** Writes `flame-NAME.svg`. */
export async function drawFlame(name: string, top: Frame): Promise<void> {
  mkdirSync(images, { recursive: true })
  const owners = Object.entries(legend).map(([, label], index): Box => {
    const color = Object.values(colors)[index] ?? ''
    return { from: index * 0.2, to: index * 0.2 + 0.19, row: 0, label, color }
  })
  const { spec } = compile(specOf([...owners, ...boxesOf(top, { total: top.ms, from: 0, row: 1.5 })]))
  const svg = await new View(parse(spec), { renderer: 'none' }).toSVG()
  writeFileSync(path.join(images, `flame-${name}.svg`), `${svg}\n`)
}

function boxesOf(frame: Frame, { total, from, row }: { readonly total: number; readonly from: number; readonly row: number }): Box[] {
  const to = from + frame.ms / total
  const box = { from, to, row, label: labelOf(frame, (to - from) * width), color: colors[frame.owner] }
  const drawn = [...frame.callees.values()].filter(({ ms }) => ms / total >= minShare).toSorted((one, other) => other.ms - one.ms)
  let next = from
  return [
    box,
    ...drawn.flatMap((callee) => {
      const boxes = boxesOf(callee, { total, from: next, row: row + 1 })
      next += callee.ms / total
      return boxes
    }),
  ]
}

/** As much of a label as fits; nothing where that would say nothing. */
function labelOf({ label }: Frame, pixels: number): string {
  const fitting = Math.floor((pixels - 6) / characterWidth)
  if (label.length <= fitting) return label
  return fitting < 4 ? '' : `${label.slice(0, fitting - 1)}…`
}

function specOf(boxes: readonly Box[]): TopLevelSpec {
  const rows = Math.max(...boxes.map(({ row }) => row)) + 1
  const y = { type: 'quantitative' as const, axis: null, scale: { domain: [0, rows], reverse: true } }
  const x = { type: 'quantitative' as const, axis: null, scale: { domain: [0, 1] } }
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'transparent',
    config: { font: 'system-ui, sans-serif', view: { stroke: null } },
    width,
    height: rows * rowHeight,
    data: { values: boxes.map((box) => ({ ...box, below: box.row + 0.94 })) },
    layer: [
      {
        mark: { type: 'rect', cornerRadius: 2 },
        encoding: {
          x: { field: 'from', ...x },
          x2: { field: 'to' },
          y: { field: 'row', ...y },
          y2: { field: 'below' },
          color: { field: 'color', type: 'nominal', scale: null },
        },
      },
      {
        mark: { type: 'text', align: 'left', baseline: 'middle', dx: 4, dy: 8.5, fontSize: 11, color: '#1f2328' },
        encoding: { x: { field: 'from', ...x }, y: { field: 'row', ...y }, text: { field: 'label', type: 'nominal' } },
      },
    ],
  }
}
