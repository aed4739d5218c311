import { expect, test } from 'vitest'
import { pathOf, readRequestLine } from '../../src/api/edge/request-target.ts'

const read = (text: string) => readRequestLine(Buffer.from(text, 'latin1'))

test('a request line is read, whole or cut off within its target', () => {
  const line = { method: 'POST', target: '/api/v1/send', whole: true }
  expect(read('POST /api/v1/send HTTP/1.1\r\nHost: x\r\n')).toEqual(line)
  expect(read('\r\n\r\nPOST /api/v1/send HTTP/1.0\n')).toEqual(line)
  expect(read('POST /api/v1/send')).toEqual({ ...line, whole: false })
  expect(read('POST /api/v1/send HTTP/1.')).toEqual({ ...line, whole: false })
  expect(read('POST /api/v1/send HTTP/2.0\r\n')).toEqual({ ...line, whole: false })
  expect(read('M-SEARCH * HTTP/1.1\r\n')).toEqual({ method: 'M-SEARCH', target: '*', whole: true })
  expect(read(`GET http://x/${'y'.repeat(60_000)}`)?.target).toHaveLength(60_009)
})

test('what is no request line is none', () => {
  for (const text of [
    '',
    'POST',
    'POST ',
    'POST  /api/v1/send HTTP/1.1',
    ' POST /api/v1/send HTTP/1.1',
    'Cookie: POST /api/v1/send HTTP/1.1',
    'x'.repeat(60_000),
    '\r\n'.repeat(30_000),
  ])
    expect(read(text), text.slice(0, 40)).toBeNull()
})

test('the path of a target ends where its query begins, and is the same in absolute form', () => {
  expect(pathOf('/api/v1/send?a=/b')).toBe('/api/v1/send')
  expect(pathOf('http://user@elsewhere.example:80/api/v1/send?a=b')).toBe('/api/v1/send')
  expect(pathOf('HTTPS://elsewhere.example?a=b')).toBe('/')
  expect(pathOf('*')).toBe('*')
})

test('letters, digits and marks mean the same percent-encoded; what separates does not', () => {
  expect(pathOf('/%61%50i/v%31/%73end%2D%5f%2e%7E?%61')).toBe('/aPi/v1/send-_.~')
  for (const path of [
    '/a%2fb',
    '/a%3Fb',
    '/a%23',
    '/%2573end',
    '/%ff',
    '/%e2%82%ac',
    '/%20',
    '/%',
    '/%7',
    '/%zz',
  ])
    expect(pathOf(path)).toBe(path)
})
