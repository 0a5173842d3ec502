/** A CSV cell: https://www.rfc-editor.org/rfc/rfc4180. */
export function csvCell(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

/** A CSV line, without trailing empty cells. */
export function csvLine(cells: readonly string[]): string {
  const last = cells.findLastIndex((cell) => cell !== '')
  return cells
    .slice(0, last + 1)
    .map(csvCell)
    .join(',')
}

/** The line above a sheet or a slide. */
export const heading = (what: string, name: string | number) => `[${what} ${name}]\n`
