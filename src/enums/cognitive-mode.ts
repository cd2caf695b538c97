/** What an agent of a role does, and the only thing that it does. */
export const cognitiveModes = [
  'planning',
  'forward synthesis (tests)',
  'forward synthesis (code)',
  'backward diagnosis',
  'validation',
] as const
export type CognitiveMode = (typeof cognitiveModes)[number]
