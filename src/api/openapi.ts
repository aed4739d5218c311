import { apiDescription, componentSchemas } from './openapi-components.ts'
import { openApiDocument } from './openapi-document.ts'
import { webhookSchemas, webhooksObject } from './openapi-webhooks.ts'
import { operations } from './operations.ts'

/**
 * The reference for machines, OpenAPI 3.1, as JSON text. Served at /openapi.json and committed as docs/openapi.json.
 */
export function renderOpenApi(publicUrl: string): string {
  const document = openApiDocument(
    {
      title: 'onesixty',
      summary: 'Send SMS, see what became of them, and what may still be sent.',
      description: apiDescription,
      tag: { name: 'SMS', description: 'The four operations.' },
      security: {
        name: 'apiKey',
        bearerFormat: 'onesixty_live_… or onesixty_test_…',
        description:
          'The API key, in the header `Authorization: Bearer <API_KEY>` and nowhere else. It decides account and mode.',
      },
      operations: Object.values(operations),
      webhooks: webhooksObject,
      schemas: { ...componentSchemas, ...webhookSchemas },
    },
    publicUrl,
  )
  return `${JSON.stringify(document, null, 2)}\n`
}
