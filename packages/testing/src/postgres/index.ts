export { freePort, startDaemon, unprivilegedAccount } from './daemon.ts'
export { type PostgresServer, runsPostgres, startPostgres } from './postgres.ts'
export { useReplicas } from './replicas.ts'
