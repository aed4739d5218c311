import { renderOpenApi } from '../../src/api/reference/openapi.ts'
import type { Generator } from './generator.ts'

/** `docs/openapi.json`: the reference as a service at its default address serves it. */
export const openApi: Generator = {
  path: 'docs/openapi.json',
  render: async () => renderOpenApi('http://localhost:8160'),
}
