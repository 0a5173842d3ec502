/** A named parameter's value. */
export type SqlValue = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[]

export type SqlValues = Readonly<Record<string, SqlValue>>

/** A statement in PostgreSQL's form. */
export interface PositionalStatement {
  readonly text: string
  readonly values: SqlValue[]
}

/** Translates our SQL, which names parameters as `:name` and tables as `schema.name`. */
export class StatementTranslator {
  readonly #schema: string
  readonly #translated = new Map<string, { readonly text: string; readonly names: readonly string[] }>()

  constructor(schema: string) {
    this.#schema = schema
  }

  translate(sql: string, values: SqlValues): PositionalStatement {
    const { text, names } = this.#translated.get(sql) ?? this.#remember(sql)
    const valueOf = (name: string) => {
      const value = values[name]
      if (value === undefined) throw new Error(`The statement needs a value for ${name}: ${sql}`)
      return value
    }
    return { text, values: names.map(valueOf) }
  }

  /** Translates a script without parameters. */
  qualify(sql: string): string {
    return sql.replaceAll(/\bschema\./g, `"${this.#schema}".`)
  }

  #remember(sql: string) {
    const names: string[] = []
    // Two colons are a cast.
    const text = this.qualify(sql).replaceAll(/(?<!:):([a-z]\w*)/gi, (_, name: string) => {
      if (!names.includes(name)) names.push(name)
      return `$${names.indexOf(name) + 1}`
    })
    const translated = { text, names }
    this.#translated.set(sql, translated)
    return translated
  }
}
