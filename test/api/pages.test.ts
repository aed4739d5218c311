import { readFile } from 'node:fs/promises'
import { Script } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../src/api/v1/operations.ts'
import { listProviders, ownDeclarationText } from '../../src/connectors/providers.ts'
import { problems } from '../../src/runtime/errors.ts'
import { rawRequest } from './raw-request.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({
    config: { metricsToken: 'a token of thirty-two characters!'.replaceAll(' ', '-') },
  })
})
afterAll(() => api.close())

const get = (path: string, headers: Record<string, string> = {}) =>
  api.request('GET', path, { key: null, headers })

test('every problem has a page at the address that its type names', async () => {
  for (const [code, { status, summary }] of Object.entries(problems)) {
    const page = await get(`/docs/problems/${code}`)
    expect(page.status, code).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.text).toContain(`<h1><code>${code}</code></h1>`)
    expect(page.text).toContain(`HTTP ${status}`)
    expect(page.text).toContain(summary.replaceAll("'", '&#39;'))
    expect(page.text).toContain('https://sms.example.org/docs/problems/')
  }
  const index = await get('/docs/problems')
  for (const code of Object.keys(problems)) expect(index.text).toContain(`href="/docs/problems/${code}"`)
  expect((await get('/docs/problems/nonsense')).status).toBe(404)
  for (const path of ['/docs', '/docs/problems']) {
    const twin = await get(`${path}/`)
    expect([twin.status, twin.headers.get('location')]).toEqual([308, path])
  }
})

test('pages run no inline script, load nothing from elsewhere and cannot be framed', async () => {
  for (const path of ['/', '/docs', '/docs/problems', '/docs/problems/not_found']) {
    const page = await get(path)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy, path).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/script-src[^;]*(unsafe|http|\*|data:)/)
    expect(page.text).not.toMatch(/<script(?![^>]*\ssrc="\/)/)
    expect(page.text).not.toMatch(/\son[a-z]+=|style=|(src|href)="(https?:)?\/\/(?!www\.rfc-editor\.org)/)
    expect(page.text).toContain('<html lang="en">')
  }
})

test('the reference says where to read on without JavaScript: the operations, the problems, the document', async () => {
  const { text } = await get('/docs')
  const [, body = ''] = text.split('<body>')
  const without = /<noscript\s*>(.*?)<\/noscript\s*>/s.exec(body)?.[1] ?? ''
  for (const { method, path, summary } of Object.values(operations)) {
    expect(without).toContain(`<code>${method} ${path}</code>`)
    expect(without).toContain(summary)
  }
  for (const path of ['/', '/openapi.json', '/docs/problems']) expect(without).toContain(`href="${path}"`)
  expect(text.split('<body>')[0]).toMatch(
    /<noscript\s*><link rel="stylesheet" href="\/docs\/assets\/style\.css"/,
  )
  expect(without).not.toMatch(/<script|<style|style=/)
})

test('every link of the pages that stays here leads somewhere', async () => {
  const seen = new Set<string>()
  const follow = async (path: string): Promise<void> => {
    if (seen.has(path)) return
    seen.add(path)
    const page = await get(path)
    expect(page.status, path).toBe(200)
    if (!page.headers.get('content-type')?.startsWith('text/html')) return
    for (const [, link] of page.text.matchAll(/(?:href|src)="(\/[^"]*)"/g)) await follow(link as string)
  }
  await follow('/')
  expect(seen.size).toBeGreaterThan(30)
})

test('the schema of declarations is served, by which an editor takes each of ours and refuses what is misspelt', async () => {
  const served = await get('/schemas/provider.json')
  expect(served.headers.get('content-type')).toBe('application/schema+json')
  const schema = served.body as Record<string, unknown>
  expect(schema['$id']).toBe('https://sms.example.org/schemas/provider.json')
  const validator = Compile(schema as TSchema)
  for (const { name } of listProviders()) {
    const declaration = JSON.parse(ownDeclarationText(name) ?? '') as Record<string, unknown>
    expect([...validator.Errors(declaration)], name).toEqual([])
    expect(validator.Check({ ...declaration, state: {} }), name).toBe(false)
  }
})

test('the script of the reference is whole', async () => {
  const script = await get('/docs/assets/scalar.js')
  expect(script.headers.get('content-encoding')).toBe('gzip')
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(script.headers.get('cache-control')).toBe('public, max-age=3600')
  expect(script.text.length).toBeGreaterThan(1_000_000)
  expect(script.text).toContain('createApiReference')
  expect(() => new Script(script.text)).not.toThrow()
})

test('what pages load is compressed for who takes that and plain for who does not, and caches are told so', async () => {
  const load = async (name: string, acceptEncoding: string | null) => {
    const wish = acceptEncoding === null ? '' : `Accept-Encoding: ${acceptEncoding}\r\n`
    const { headers, body } = await rawRequest(
      api.port,
      `GET /docs/assets/${name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${wish}\r\n`,
    )
    expect(headers['vary'], name).toBe('Accept-Encoding')
    const bytes = Buffer.from(body, 'latin1')
    expect(headers['content-length']).toBe(String(bytes.length))
    return { coding: headers['content-encoding'] ?? 'identity', bytes }
  }
  const plain = await readFile(new URL('../../src/api/pages/assets/style.css', import.meta.url))
  for (const wish of [
    'gzip',
    'GZIP',
    'br, gzip;q=0.5',
    'x-gzip',
    '*',
    'deflate;q=1, *;q=0.1',
    'identity;q=0.5, gzip;q=0.5',
  ]) {
    const { coding, bytes } = await load('style.css', wish)
    expect([coding, gunzipSync(bytes)], wish).toEqual(['gzip', plain])
  }
  for (const wish of [
    null,
    '',
    'identity',
    'br',
    'gzip;q=0',
    'gzip; q=0.000, *',
    '*;q=0',
    'identity, gzip;q=0.9',
    'gzipped',
  ]) {
    const { coding, bytes } = await load('style.css', wish)
    expect([coding, bytes], String(wish)).toEqual(['identity', plain])
  }
  const script = await load('scalar.js', null)
  expect([script.coding, script.bytes.length > 1_000_000]).toEqual(['identity', true])
})

test('health needs nothing, readiness tells why not', async () => {
  expect((await get('/healthz')).body).toEqual({ status: 'ok' })
  expect(await get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready', reasons: [] } })
  const draining = await startTestApi({ ready: false })
  expect(await draining.request('GET', '/readyz', { key: null })).toMatchObject({
    status: 503,
    body: { status: 'not_ready', reasons: ['draining'] },
  })
  expect((await draining.request('GET', '/healthz', { key: null })).status).toBe(200)
  await draining.close()
})

test('metrics are for this machine itself, or for who brings the token', async () => {
  const local = await get('/metrics')
  expect(local.headers.get('content-type')).toContain('text/plain')
  expect(local.text).toContain('onesixty_request_seconds_count')
  expect((await get('/metrics', { 'x-forwarded-for': '203.0.113.1' })).status, 'through a proxy').toBe(404)
  expect((await get('/metrics', { authorization: 'Bearer wrong' })).status).toBe(404)
  const token = 'a-token-of-thirty-two-characters!'
  expect(
    (await get('/metrics', { 'x-forwarded-for': '203.0.113.1', authorization: `Bearer ${token}` })).status,
  ).toBe(200)
})

test('a favicon that nobody has is a problem, not a page', async () => {
  const answer = await rawRequest(
    api.port,
    'GET /favicon.ico HTTP/1.1\r\nHost: x\r\nAccept: image/*\r\nConnection: close\r\n\r\n',
  )
  expect(answer).toMatchObject({ status: 404, json: { code: 'not_found' } })
})
