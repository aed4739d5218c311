import { renderOperatorOpenApi } from '../../src/api/operator/openapi.ts'
import type { Generator } from './generator.ts'

/** `docs/operator-openapi.json`: the operator's reference as a service at its default address serves it. */
export const operatorOpenApi: Generator = {
  path: 'docs/operator-openapi.json',
  render: async () => renderOperatorOpenApi('http://localhost:8160'),
}
