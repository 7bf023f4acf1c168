import type { CallEffects, Danger, MatchedRule, PolicyExplanation, PolicyPart, PolicyVerdict, RuleRemark, Source, ToolkitDataOptions } from './index.js'

/** What decisions depend on. */
export interface PolicyOptions {
  /** The rules, as a toolkit takes them. */
  permissions?: ToolkitDataOptions['permissions']
  /** The directory that paths are relative to, of the form `/srv/project`. It need not be there. Default: `/workspace`. */
  workspace?: string | undefined
  /** More directories, by absolute paths. */
  additionalDirectories?: string[] | undefined
  /** The home directory of commands, for `~/name`. */
  home?: string | undefined
  /** Who runs commands. Default: `bash`. */
  shell?: 'bash' | 'dash' | 'posix' | undefined
  /** The vocabulary of the names. Default: none, and a name means what it means in most of them. */
  dialect?: ToolkitDataOptions['dialect']
  /** The names of the application's own tools that rules name. */
  tools?: string[] | undefined
  /** Whether somebody can be asked, for the default mode. Default: false. */
  hasApprover?: boolean | undefined
  /** Where text came from that was read before, for rules with `after`. Default: none. */
  sources?: Source[] | undefined
}

/** What a call touches. Takes the `effects` of an explanation and the `preview` of an approval request as they are. */
export interface PolicyEffects extends CallEffects {
  /** One command, run in the workspace. */
  command?: string | undefined
  /** What a tool of an MCP server is called with, for rules on arguments. */
  arguments?: Record<string, unknown> | undefined
}

/** What policy says to a call. */
export interface PolicyDecision extends Omit<PolicyExplanation, 'effects' | 'issues' | 'sources'> {
  /** `allow`, `ask` or `deny`. */
  verdict: PolicyVerdict
  danger: Danger
  matched?: MatchedRule[]
  parts?: PolicyPart[]
}

/** Compiled rules. */
export interface Policy {
  /** Rules that can never decide anything, and rules that open too much. */
  readonly remarks: RuleRemark[]
  /**
   * What holds for a call. A call that does not say what its tool has to touch, or touches something outside of the workspace, is
   * denied.
   * @throws {PolicyError} for what is not an access of a call, and where the engine failed: take that for a denial
   */
  decide(tool: string, effects: PolicyEffects): PolicyDecision
  /** The same with what each command of the call does. @throws {PolicyError} as `decide` does */
  explain(tool: string, effects: PolicyEffects): PolicyDecision
  /** Gives its memory back. */
  close(): void
}

/** The policy engine, loaded. */
export interface PolicyEngine {
  /** Compiles rules. @throws {PolicyError} for rules and options that cannot be used */
  compile(options?: PolicyOptions): Policy
}

/** What cannot be used: rules that do not compile, options and calls that are not valid. */
export interface PolicyError extends Error {
  /** For programs that look at the name of an error. */
  name: 'PolicyError'
}

/** What the engine may be loaded from: its bytes, its address, a response with it, or a compiled `WebAssembly.Module`. */
export type PolicySource = ArrayBuffer | ArrayBufferView | URL | string | { arrayBuffer(): Promise<ArrayBuffer> } | object

/** Loads the engine, by default from the file of this package (`tenon/policy.wasm`). @throws {PolicyError} where it cannot be loaded */
export declare function loadPolicyEngine(source?: PolicySource | Promise<PolicySource>): Promise<PolicyEngine>
