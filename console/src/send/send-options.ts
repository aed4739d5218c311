export interface SendOptions {
  from: string
  category: 'transactional' | 'authentication' | 'marketing'
  smartEncoding: boolean
  reference: string
  validityHours: string
}

export const noOptions: SendOptions = {
  from: '',
  category: 'transactional',
  smartEncoding: false,
  reference: '',
  validityHours: '',
}

/** The options as members of a body; what was left alone is left out. */
export const bodyOptions = (options: SendOptions): Record<string, unknown> => ({
  ...(options.from === '' ? {} : { from: options.from }),
  ...(options.category === 'transactional' ? {} : { category: options.category }),
  ...(options.smartEncoding ? { smart_encoding: true } : {}),
  ...(options.reference === '' ? {} : { client_reference: options.reference }),
  ...(options.validityHours === '' ? {} : { validity_period: Number(options.validityHours) * 3600 }),
})
