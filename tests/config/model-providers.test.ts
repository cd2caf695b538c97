import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { modelProvider, modelProviders } from '../../src/config/model-providers.js'
import { endpointTraits } from '../../src/llm/openai/endpoint-traits.js'

const page = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8')

describe('providers', () => {
  it.each(modelProviders.map((provider) => [provider.name, provider] as const))(
    '%s is in the documentation as it is in the table',
    (name, provider) => {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? ''
      const { source } = provider
      expect(row).toContain(`| ${provider.answerModes.join(', ')} |`)
      expect(row).toContain('baseUrl' in provider ? `| \`${provider.baseUrl}\` |` : 'your own')
      expect(row).toContain('keyEnv' in provider ? `| \`${provider.keyEnv}\` |` : '| none |')
      expect(row).toContain(`](${source.page})`)
      expect(row).toContain(source.read)
    },
  )

  it.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://eu.api.openai.com/v1', 'openai'],
    ['https://shop.openai.azure.com/openai/v1', 'azure'],
    ['https://api.anthropic.com/v1', 'anthropic'],
    ['https://generativelanguage.googleapis.com/v1beta/openai', 'gemini'],
    ['http://gpu.lan:11434/v1', 'ollama'],
    ['http://localhost:1234/v1', 'lmstudio'],
    ['https://notopenai.example/v1', undefined],
    ['http://localhost:9999/v1', undefined],
  ])('%s is known as %s by its address', (baseUrl, name) => {
    expect(modelProvider(undefined, baseUrl)?.name).toBe(name)
  })

  it('by name have priority over the address', () => {
    expect(modelProvider('vllm', 'http://localhost:11434/v1')?.name).toBe('vllm')
  })
})

describe('answers are streamed from the start', () => {
  const streams = (baseUrl: string, stream: 'auto' | 'on' | 'off' = 'auto') =>
    endpointTraits({ baseUrl, provider: undefined, structured: 'auto', stream }).streams
  it.each([
    'http://localhost:8080/v1',
    'http://127.0.0.1:1/v1',
    'http://[::1]:1/v1',
    'http://192.168.1.20:8000/v1',
    'http://10.1.2.3/v1',
    'http://gpu:8000/v1',
    'http://gpu.internal/v1',
  ])('by %s', (url) => {
    expect(streams(url)).toBe(true)
  })

  it('not by services, unless they are told to', () => {
    expect(streams('https://api.openai.com/v1')).toBe(false)
    expect(streams('https://172.32.0.1/v1')).toBe(false)
    expect(streams('https://api.openai.com/v1', 'on')).toBe(true)
    expect(streams('http://localhost:8080/v1', 'off')).toBe(false)
  })
})
