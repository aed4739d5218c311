import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface MadeCertificate {
  cert: string
  key: string
}

/** Makes certificates with OpenSSL, as an operator would: a root, and what it signs. */
export function openCertificates(): {
  root: string
  sign(names: string, dates?: { from: string; to: string }): MadeCertificate
  selfSigned(names: string): MadeCertificate
  /** Signs a request in PEM, with what it asks for. */
  signRequest(request: string): string
  close(): void
} {
  const folder = mkdtempSync(join(tmpdir(), 'onesixty-certificates-'))
  const openssl = (...given: string[]): void =>
    void execFileSync('openssl', given, { cwd: folder, stdio: 'pipe' })
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'root.key',
    '-out',
    'root.crt',
    '-subj',
    '/CN=A root of the tests',
  )
  writeFileSync(join(folder, 'index'), '')
  writeFileSync(
    join(folder, 'ca.cnf'),
    '[ca]\ndefault_ca=a\n[a]\ndatabase=index\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\nrand_serial=yes\nunique_subject=no\ncopy_extensions=copy\n[p]\ncommonName=supplied\n',
  )
  const signLeaf = ({ from, to }: { from: string; to: string }): void =>
    openssl(
      'ca', '-batch', '-config', 'ca.cnf', '-cert', 'root.crt', '-keyfile', 'root.key',
      '-startdate', from, '-enddate', to, '-in', 'leaf.csr', '-out', 'leaf.crt', '-notext',
    ) // prettier-ignore
  return {
    root: read('root.crt'),
    sign(names, { from, to } = { from: '20260101000000Z', to: '20270105093000Z' }) {
      openssl(
        'req',
        ...key,
        '-keyout',
        'leaf.key',
        '-out',
        'leaf.csr',
        '-subj',
        '/CN=leaf',
        '-addext',
        `subjectAltName=${names}`,
      )
      signLeaf({ from, to })
      return { cert: read('leaf.crt'), key: read('leaf.key') }
    },
    signRequest(request) {
      writeFileSync(join(folder, 'leaf.csr'), request)
      signLeaf({ from: '20260101000000Z', to: '20270105093000Z' })
      return read('leaf.crt')
    },
    selfSigned(names) {
      openssl(
        'req',
        '-x509',
        ...key,
        '-keyout',
        'self.key',
        '-out',
        'self.crt',
        '-subj',
        '/CN=self',
        '-addext',
        `subjectAltName=${names}`,
      )
      return { cert: read('self.crt'), key: read('self.key') }
    },
    close: () => rmSync(folder, { recursive: true }),
  }
}
