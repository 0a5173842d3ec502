import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type IdentityProvider, startIdentityProvider } from '@mcp-toolkits/testing/people'
import { type PostgresServer, runsPostgres, startPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { deployFolder } from './compose-file.ts'
import { startNative } from './native-services.ts'

const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.literal('http') }) })
const Container = z.object({
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) }) })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
  securityContext: z.object({ readOnlyRootFilesystem: z.literal(true), allowPrivilegeEscalation: z.literal(false) }),
  volumeMounts: z.array(z.object({ mountPath: z.string() })),
})
const Pod = z.object({
  terminationGracePeriodSeconds: z.number(),
  securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number() }),
  containers: z.tuple([Container]),
})
const Deployment = z.object({ kind: z.literal('Deployment'), spec: z.object({ template: z.object({ spec: Pod }) }) })
const Resource = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()).optional() }),
})

const apps = ['event-pipeline', 'file-storage', 'issue-tracker']

function resourcesOf(app: string): unknown[] {
  const text = readFileSync(path.join(deployFolder, 'kubernetes', `${app}.yaml`), 'utf8')
  // Read as kubectl does, for which `off` is a boolean.
  return parseAllDocuments(text, { version: '1.1' }).map((document) => {
    const resource: unknown = document.toJS()
    return resource
  })
}

function podOf(app: string): z.output<typeof Pod> {
  const [deployment] = resourcesOf(app).flatMap((resource) => Deployment.safeParse(resource).data ?? [])
  if (!deployment) throw new Error(`${app} has no deployment.`)
  return deployment.spec.template.spec
}

test.for(apps)('%s has everything that a cluster needs, and holds no secret', (app) => {
  const kinds = resourcesOf(app).map((resource) => Resource.parse(resource))
  expect(kinds.map(({ kind }) => kind)).toEqual([
    'ServiceAccount',
    'Deployment',
    'Service',
    'Ingress',
    'PodDisruptionBudget',
    'HorizontalPodAutoscaler',
    'NetworkPolicy',
  ])
  expect(new Set(kinds.map(({ metadata }) => metadata.name))).toEqual(new Set([app]))
})

test.for(apps)('the pod of %s fits its image, and has the time that it needs to end', (app) => {
  const dockerfile = readFileSync(path.join(import.meta.dirname, '..', '..', 'Dockerfile'), 'utf8')
  const { securityContext, terminationGracePeriodSeconds, containers } = podOf(app)
  const [{ args, volumeMounts }] = containers
  expect(`${securityContext.runAsUser}`).toBe(/^USER (\d+):/m.exec(dockerfile)?.[1])
  expect(volumeMounts[0]?.mountPath).toBe(/MCP_TOOLKITS_DATA_DIR=(\S+)/.exec(dockerfile)?.[1])
  expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(args[args.indexOf('--drain-wait') + 1]) + 30)
})

describe.runIf(runsPostgres())('the container of a pod, as a process', () => {
  let postgres: PostgresServer
  let identityProvider: IdentityProvider
  let directory: string
  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'deploy-pods-'))
    ;[postgres, identityProvider] = await Promise.all([startPostgres(), startIdentityProvider()])
  })
  afterAll(async () => {
    await Promise.all([postgres.stop(), identityProvider[Symbol.asyncDispose]()])
    rmSync(directory, { recursive: true })
  })

  test.for(apps)(
    '%s starts with the arguments and secrets of its manifest, answers its probes, and is not ready once it ends',
    async (app) => {
      const [{ args, env, ports, startupProbe, livenessProbe, readinessProbe }] = podOf(app).containers
      const secrets: Readonly<Record<string, string>> = {
        'mcp-toolkits database-url': postgres.pooledUrl,
        'mcp-toolkits vault-keys': `1:${Buffer.alloc(32, 7).toString('base64')}`,
      }
      const variables = env.map(({ name, valueFrom: { secretKeyRef } }) => {
        const reference = `${secretKeyRef.name} ${secretKeyRef.key}`
        return [name, secrets[reference] ?? reference.replaceAll(' ', '-')] as const
      })
      const replaced = { 'https://login.example.com/realms/company': identityProvider.issuer }
      await using server = await startNative({ app, args, environment: Object.fromEntries(variables) }, replaced)
      const portOf = { 3000: server.port, 9464: server.metricsPort } as const
      expect(ports).toEqual(Object.keys(portOf).map((port, index) => ({ name: ['http', 'metrics'][index], containerPort: Number(port) })))
      const statusOf = async (url: string) => (await fetch(`http://127.0.0.1:${url}`)).status
      for (const probe of [startupProbe, livenessProbe, readinessProbe])
        await expect.poll(() => statusOf(`${server.port}${probe.httpGet.path}`)).toBe(200)
      expect(await statusOf(`${server.metricsPort}/metrics`)).toBe(200)
      void server.terminate()
      await expect.poll(() => statusOf(`${server.port}${readinessProbe.httpGet.path}`)).toBe(503)
      expect(await statusOf(`${server.port}${livenessProbe.httpGet.path}`)).toBe(200)
    },
  )
})
