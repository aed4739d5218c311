import { globSync } from 'node:fs'
import { join } from 'node:path'

/** The settings of a Patroni and of the HAProxy in front of it, after the examples that Debian ships with Patroni (/usr/share/doc/patroni/examples). */

export interface MemberPorts {
  port: number
  /** Of the REST API of its Patroni. */
  restPort: number
}

export const superuser = { username: 'postgres', password: 'postgres' }
const replication = { username: 'replicator', password: 'rep-pass' }

/** Where Debian has what only a server needs, of the newest PostgreSQL that is there. */
const binDir = (): string => {
  const versions = globSync('/usr/lib/postgresql/*/bin/pg_rewind').map((path) => Number(path.split('/')[4]))
  if (versions.length === 0)
    throw new Error('There is no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql.')
  return `/usr/lib/postgresql/${Math.max(...versions)}/bin`
}

/** In JSON, which is YAML. It notices in 10 s what it usually notices in 30, and what is acknowledged is on two members. */
export const patroniSettings = (
  options: MemberPorts & { name: string; folder: string; etcdPort: number },
): string => {
  const { name, folder, etcdPort, port, restPort } = options
  const [server, rest] = [`127.0.0.1:${port}`, `127.0.0.1:${restPort}`]
  return JSON.stringify({
    scope: 'onesixty',
    name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: 10,
        loop_wait: 2,
        retry_timeout: 3,
        maximum_lag_on_failover: 1_048_576,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, shared_buffers: '64MB' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
      pg_hba: [`host replication ${replication.username} 127.0.0.1/32 md5`, 'host all all 127.0.0.1/32 md5'],
    },
    postgresql: {
      listen: server,
      connect_address: server,
      data_dir: join(folder, name),
      bin_dir: binDir(),
      pgpass: join(folder, `${name}.pgpass`),
      authentication: { replication, superuser },
      parameters: { unix_socket_directories: folder },
    },
  })
}

/** With a look at each member a second, and no connection kept to one that is the primary no more. */
export const haproxySettings = (port: number, members: readonly MemberPorts[]): string =>
  [
    'defaults',
    '    mode tcp',
    '    retries 2',
    '    timeout client 30m',
    '    timeout connect 4s',
    '    timeout server 30m',
    '    timeout check 5s',
    'listen primary',
    `    bind 127.0.0.1:${port}`,
    '    option httpchk OPTIONS /primary',
    '    http-check expect status 200',
    '    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
    ...members.map(
      (member, i) =>
        `    server member${i} 127.0.0.1:${member.port} maxconn 100 check port ${member.restPort}`,
    ),
    '',
  ].join('\n')
