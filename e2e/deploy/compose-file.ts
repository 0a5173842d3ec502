import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'

export const deployFolder = path.join(import.meta.dirname, '..', '..', 'deploy')

const Healthcheck = z.object({ test: z.tuple([z.literal('CMD')], z.string()) })

const Service = z.object({
  image: z.string().optional(),
  build: z.object({ args: z.object({ APP: z.string() }) }).optional(),
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  healthcheck: Healthcheck.optional(),
  deploy: z.object({ replicas: z.number() }).optional(),
  read_only: z.boolean().optional(),
  stop_grace_period: z.string().optional(),
})

const Compose = z.object({
  services: z.record(z.string(), Service),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
})

export type ComposeService = z.output<typeof Service>
export type ComposeFile = z.output<typeof Compose>

/** Reads compose.yaml as Compose does, including shared parts, and with variables substituted. */
export async function readCompose(variables: Readonly<Record<string, string>>): Promise<ComposeFile> {
  const text = await readFile(path.join(deployFolder, 'compose.yaml'), 'utf8')
  return Compose.parse(parse(interpolate(text, variables), { merge: true }))
}

/** Substitutes values for `${NAME}` and `${NAME:?…}`. Throws for a variable without a value. */
function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([A-Z_]+)(?::\?[^}]*)?\}/g, (_, name: string) => {
    const value = variables[name]
    if (value === undefined) throw new Error(`The variable ${name} has no value.`)
    return value
  })
}
