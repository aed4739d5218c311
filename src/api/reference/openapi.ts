import { apiDescription, componentSchemas } from './openapi-components.ts'
import { openApiDocument } from './openapi-document.ts'
import { webhookSchemas, webhooksObject } from './openapi-webhooks.ts'
import { operations } from '../v1/operations.ts'

/**
 * Renders the reference as OpenAPI 3.1, as JSON text. Served at /openapi.json and committed as
 * docs/openapi.json.
 */
export function renderOpenApi(publicUrl: string): string {
  const document = openApiDocument(
    {
      title: 'onesixty',
      summary: 'Send SMS, read their status and the balance.',
      description: apiDescription,
      tag: { name: 'SMS', description: 'The four operations.' },
      security: {
        name: 'apiKey',
        bearerFormat: 'onesixty_live_… or onesixty_test_…',
        description:
          'The API key, only in the header `Authorization: Bearer <API_KEY>`. It decides account and mode.',
      },
      operations: Object.values(operations),
      webhooks: webhooksObject,
      schemas: { ...componentSchemas, ...webhookSchemas },
    },
    publicUrl,
  )
  return `${JSON.stringify(document, null, 2)}\n`
}
