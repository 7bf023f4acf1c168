/** A part of what the model sees: text. */
export interface TextContent {
  /** What kind of part it is. */
  type: 'text'
  /** The text. */
  text: string
}

/** A part of what the model sees: an image. */
export interface ImageContent {
  /** What kind of part it is. */
  type: 'image'
  /** The bytes, base64. */
  data: string
  /** Such as `image/png`. */
  mimeType: string
}

/** The result of a call. */
export interface AgentToolResult<TDetails = unknown> {
  /** For the model. */
  content: (TextContent | ImageContent)[]
  /** For programs: the shape that the dialect documents. */
  details: TDetails
  /** The details again, for hosts that read them under this name; not enumerable. Partial results have none. */
  readonly structuredContent?: TDetails | undefined
}

/**
 * Receives partial results while a call runs. Each is the whole of what is known so far, never a
 * delta; not every intermediate one is delivered (at most about 20 a second); they come in order,
 * and none comes after the promise has settled. What the listener throws does not touch the call.
 */
export type UpdateListener<TDetails = unknown> = (partial: AgentToolResult<TDetails>) => unknown

/** Where a registry files a tool. */
export declare const ToolCategory: {
  readonly FILE_SYSTEM: 'file_system'
  readonly CODE_ANALYSIS: 'code_analysis'
  readonly TESTING: 'testing'
  readonly DIAGNOSTICS: 'diagnostics'
  readonly SEARCH: 'search'
  readonly REFACTORING: 'refactoring'
  readonly GIT: 'git'
  readonly UTILITY: 'utility'
  readonly RUNTIME: 'runtime'
  readonly WEB: 'web'
  readonly SESSION: 'session'
  readonly MESSAGING: 'messaging'
}
export type ToolCategory = (typeof ToolCategory)[keyof typeof ToolCategory]

/** Hints of the Model Context Protocol; hints, never a grant. */
export interface ToolAnnotations {
  /** What a user sees. */
  title: string
  /** It changes nothing. */
  readOnlyHint: boolean
  /** It may destroy something. */
  destructiveHint: boolean
  /** A second call with the same parameters changes nothing more. */
  idempotentHint: boolean
  /** It deals with the world outside the workspace. */
  openWorldHint: boolean
}

/** Where a tool comes from. */
export interface ToolMetadata {
  /** The capability behind the tool, whatever a dialect calls it. */
  operation: string
  /** The vocabulary that the tool belongs to. */
  dialect: string
  /**
   * What it means to make the same call once more. `pure`: nothing changes. `repeatable`: from the same beginning the workspace and
   * the session come to the same end. `once`: what it does in the world is done again.
   */
  repetition: 'pure' | 'repeatable' | 'once'
  [key: string]: unknown
}

/**
 * JSON Schema of the parameters of a tool. It carries, out of sight (not enumerable), the marks of
 * TypeBox 0.34 and 1.x and the Standard Schema interface, so that frameworks take it as it is.
 */
export interface ParametersSchema {
  /** Always an object. */
  type: 'object'
  /** The parameters by their names. */
  properties: Record<string, any>
  /** Names of those that a call must have. Missing: none. */
  required?: string[] | undefined
  /** Whether other parameters are taken: `false` for built-in tools. */
  additionalProperties: boolean
  [keyword: string]: any
}

/** Runs a tool. The first form is for lists of tools whose parameters are not known, as frameworks have them. */
export interface ToolFunction<TParams = any, TDetails = any> {
  <P>(
    toolCallId: string,
    params: P & (unknown extends P ? unknown : never),
    signal?: AbortSignal,
    onUpdate?: UpdateListener<TDetails>,
  ): Promise<AgentToolResult<TDetails>>
  (toolCallId: string, params: TParams, signal?: AbortSignal, onUpdate?: UpdateListener<TDetails>): Promise<AgentToolResult<TDetails>>
}

/**
 * A tool: a plain object whose properties are its own and enumerable. It may be spread, cloned,
 * extended and frozen, and `execute` may be called unbound.
 */
export interface AgentTool<TParams = any, TDetails = any> {
  /** The name by which models call it, in the vocabulary of its toolkit. */
  name: string
  /** What a user sees. */
  label: string
  /** What the model reads. */
  description: string
  /** The same object at each read. Not to be frozen: some frameworks mark the schemas that they are given. */
  parameters: any
  /**
   * Runs the tool.
   *
   * @param toolCallId the host's id of the call; opaque
   * @param params see the parameter type of the tool; `undefined` and `null` mean absent
   * @param signal aborting it rejects the call and stops its work
   * @param onUpdate receives partial results
   * @throws {ToolError}
   */
  execute: ToolFunction<TParams, TDetails>
  /** Where registries file it. */
  category: ToolCategory
  /** The group that exposure lists know it by, without `group:`. */
  group: string
  /** Hints of the Model Context Protocol about what it does. */
  annotations: ToolAnnotations
  /** The operation behind it, and what a repeated call does. */
  metadata: ToolMetadata
  /** Whether calls of one batch may run side by side. */
  executionMode: 'parallel' | 'sequential'
  /** Whether a call may be repeated when its outcome is unknown after a crash. */
  replay: 'safe' | 'never'
  /** JSON Schema of `details`; tools of the host have one when the host gave it. */
  outputSchema?: any
  /** Where the text of results comes from other machines and is not to be trusted. */
  resultContentSource?: 'network' | undefined
  /** Repairs raw arguments of a model before a host validates them. */
  prepareArguments?(args: unknown): TParams
}

/** What kind of failure a `ToolError` reports. */
export type ToolErrorType = 'permission_denied' | 'not_found' | 'timeout' | 'invalid_input' | 'execution_failed' | 'aborted'

/** Facts about a failure, for programs. */
export interface ToolErrorDetails {
  /** The finer kind, such as `stale_file` or `not_unique`: docs/troubleshooting.md has all of them. */
  code: string
  /** Every fault of the parameters, when they are what failed. */
  errors?: ValidationIssue[] | undefined
  [fact: string]: any
}

/** The fields that a `ToolError` has besides its message. */
export interface ToolErrorFields {
  /** The tool, by the name that was called. */
  tool: string
  /** What kind of failure it is. */
  error_type: ToolErrorType
  /** Facts for programs, with the finer kind in `code`. */
  details: ToolErrorDetails
}

/** Why a call failed. `message` is a sentence for the model: what was wrong, and the next step. */
export declare class ToolError extends Error implements ToolErrorFields {
  constructor(message: string, fields: ToolErrorFields & { cause?: unknown })
  /** For programs that look at the name of an error. */
  readonly name: 'ToolError'
  /** The tool, by the name that was called. */
  tool: string
  /** What kind of failure it is. */
  error_type: ToolErrorType
  /** Facts for programs, with the finer kind in `code`. */
  details: ToolErrorDetails
  /** Whether a value is a `ToolError`, also one of another copy of this package or another realm. */
  static is(value: unknown): value is ToolError
}

/** One fault of the parameters of a call. */
export interface ValidationIssue {
  /** Where, such as `edits[2].oldText`; empty for the whole. */
  param: string
  /** A sentence for the model: what was wrong. */
  message: string
  /** What kind of fault it is. */
  code: 'TOOL_NOT_FOUND' | 'MISSING_REQUIRED' | 'UNKNOWN_PARAM' | 'TYPE_MISMATCH' | 'INVALID_ENUM' | 'OUT_OF_RANGE' | 'INVALID_LENGTH' | 'PATTERN_MISMATCH'
}

/** Whether parameters would be taken. */
export interface Validation {
  /** Whether a call with them would be run, as far as its parameters go. */
  valid: boolean
  /** Every fault, when they would not. */
  errors?: ValidationIssue[] | undefined
}
