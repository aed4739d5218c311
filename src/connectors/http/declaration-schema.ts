import { declarationSchema } from './declaration/declaration.ts'

/** Where every server has the schema; a declaration names it in `$schema`. */
export const declarationSchemaPath = '/schemas/provider.json'

/** Renders the schema of declarations as JSON Schema 2020-12, as JSON text, for editors that complete and check by it. */
export const renderDeclarationSchema = (publicUrl: string): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `${publicUrl.replace(/\/+$/, '')}${declarationSchemaPath}`,
      title: 'Declaration of a messaging service over HTTP',
      ...declarationSchema,
    },
    null,
    2,
  )}\n`
