/** Maximum number of table rows shown. */
const maxRows = 200

/** A cell, quoted or not, and the separator or line end after it. */
const cells = { ',': /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y, '\t': /(?:"((?:[^"]|"")*)"|([^"\t\r\n]*))(\t|\r?\n|$)/y }

/** The rows of comma- or tab-separated text, or undefined for any other text: https://www.rfc-editor.org/rfc/rfc4180. */
function rowsOf(text: string, separator: keyof typeof cells): string[][] | undefined {
  const cell = cells[separator]
  cell.lastIndex = 0
  const rows: string[][] = [[]]
  while (cell.lastIndex < text.length && rows.length <= maxRows + 1) {
    const [, quoted, plain = '', mark] = cell.exec(text) ?? []
    if (mark === undefined) return undefined
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (mark !== separator) rows.push([])
  }
  return rows.filter((row) => row.length > 0)
}

/** Comma- or tab-separated text as a table, with its first row as the head. */
export function SheetTable({ text, separator = ',' }: { readonly text: string; readonly separator?: keyof typeof cells }) {
  const all = rowsOf(text, separator)
  if (!all) return <pre>{text}</pre>
  const [head = [], ...rows] = all
  return (
    <div class="wide" tabindex={0} role="region" aria-label="Table" dir="auto">
      <table>
        <thead>
          <tr>{head.map((name) => (name.trim() === '' ? <td /> : <th scope="col">{name}</th>))}</tr>
        </thead>
        <tbody>
          {rows.slice(0, maxRows).map((row) => (
            <tr>
              {row.map((value) => (
                <td>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > maxRows && <p class="soft">Only the first {maxRows} rows are shown.</p>}
    </div>
  )
}
