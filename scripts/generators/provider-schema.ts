import { renderDeclarationSchema } from '../../src/connectors/providers.ts'
import type { Generator } from './generator.ts'

/** `docs/connectors/provider-schema.json`: the schema of declarations as a service at its default address serves it. */
export const providerSchema: Generator = {
  path: 'docs/connectors/provider-schema.json',
  render: async () => renderDeclarationSchema('http://localhost:8160'),
}
