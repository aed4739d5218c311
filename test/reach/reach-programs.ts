import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { rootCertificates } from 'node:tls'
import { createReachProof } from '../../src/reach/reach-proof.ts'
import { tryReach } from '../../src/reach/reach.ts'
import { systemClock } from '../../src/runtime/clock.ts'

/**
 * The two ends of a try, each a process in a network of its own. `try URL FOLDER` prints what was found as JSON.
 * `serve HOST PORT WHO FOLDER` prints its port, and answers as this instance (`us`) or as the page of a router; without a folder by HTTP. The
 * folder has `root.pem`, `cert.pem` and `key.pem`.
 */
const proof = createReachProof({ current: 'the secret of this instance, long enough', former: [] })
const [, , command, ...args] = process.argv
const read = (folder: string, name: string): string => readFileSync(`${folder}/${name}.pem`, 'utf8')

if (command === 'try') {
  const [url = '', folder] = args
  const roots = folder === undefined ? [] : [...rootCertificates, read(folder, 'root')]
  const listens = { host: '192.168.7.2', port: 443 }
  const reach = await tryReach({ clock: systemClock, randomBytes, proof, roots, listens }, url)
  process.stdout.write(JSON.stringify(reach))
} else {
  const [host, port, who, folder] = args
  const listener: RequestListener = ({ url = '' }, response) => {
    if (who !== 'us')
      return void response.writeHead(200, { server: 'micro_httpd' }).end('<html>Router</html>')
    const reach = proof.answerTo(url.replace('/mobile/v1/reach/', ''))
    response.writeHead(reach === null ? 400 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ reach }))
  }
  const server =
    folder === undefined
      ? createHttp(listener)
      : createHttps({ cert: read(folder, 'cert'), key: read(folder, 'key') }, listener)
  server.listen(Number(port), host, () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
  })
}
