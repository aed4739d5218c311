import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Files lie beside themselves compressed, so that the server never has to. */
const compressed = (): Plugin => ({
  name: 'compressed',
  apply: 'build',
  async writeBundle({ dir = 'dist' }) {
    const folder = join(dir, 'assets')
    for (const name of await readdir(folder)) {
      if (!/\.(?:js|css|svg)$/.test(name)) continue
      const packed = await promisify(gzip)(await readFile(join(folder, name)), {
        level: constants.Z_BEST_COMPRESSION,
      })
      await writeFile(join(folder, `${name}.gz`), packed)
    }
  },
})

/** Lists the files that the console is built from, for the licences and the bill of materials of a release. */
const listed = (): Plugin => ({
  name: 'listed',
  apply: 'build',
  async writeBundle({ dir = 'dist' }) {
    const files = [...this.getModuleIds()].toSorted()
    await writeFile(join(dir, '.vite/modules.json'), JSON.stringify(files, null, 2))
  },
})

/** The server that `npm run dev` starts beside the hot reload. */
const server = `http://localhost:${process.env['ONESIXTY_PORT'] ?? '8160'}`

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compressed(), listed()],
  build: {
    target: 'baseline-widely-available',
    // A file of its own for each page; nothing is inlined, which the content security policy would refuse.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // The bar is on the first load, compressed (scripts/build-console.ts).
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A page is a third of the files that it would be: what every page has in one, what sixteen parts or more share in another; eight are the dialogs, too.
          groups: [
            {
              name: 'vendor',
              test: /node_modules[\\/](?:react|react-dom|scheduler|@tanstack)[\\/]/,
              priority: 2,
            },
            { name: 'base', minShareCount: 16, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/console/api', '/api', '/docs', '/openapi.json', '/schemas', '/readyz'].map((path) => [
        path,
        { target: server },
      ]),
    ),
  },
})
