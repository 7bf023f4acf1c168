import type { RemoteTransport, RemoteWorkspace } from './index.js'

/** Options of `remote`. */
export interface RemoteOptions {
  /** The directory of the workspace, where the engine is. */
  path: string
  /** The way to the engine. */
  via: RemoteTransport
  /** Whether web tools run where the engine is, from its network. Default: `off`, there are none. */
  web?: 'off' | 'engine' | undefined
}

/** A workspace that is elsewhere, for the option `workspace` of a toolkit. @throws {ToolError} for options that cannot be used */
export declare function remote(options: RemoteOptions): RemoteWorkspace

/** A Unix socket that `tenon serve --listen unix:…` listens on. */
export declare function unix(path: string): RemoteTransport

/** A command whose standard input and output are the connection, such as `[…, 'tenon-engine', 'attach']`. */
export declare function command(argv: readonly string[], options?: { name?: string | undefined }): RemoteTransport

/** What a function starts: an object like that of `child_process.spawn`, with pipes. */
export declare function spawn(start: () => unknown): RemoteTransport

/**
 * Whether the engine is brought to where it is not: once, over the connection itself, checked by its hash, to a directory whose name says which
 * engine it is. It is that of the package `@tenon/engine-<platform>-musl` (which has to be installed here), or of the directory `from`; `to`: the directory
 * there. Default: below the cache of the user. `sh`, `cat` and `sha256sum` are needed there.
 */
export type PushEngine = boolean | { from?: string | undefined; to?: string | undefined }

/** A container of Docker or Podman, with the engine in its image. `docker`: the client program; `socket`: of the engine, in the container. */
export declare function docker(
  container: string,
  options?: {
    program?: string | undefined
    docker?: string | undefined
    user?: string | undefined
    socket?: string | undefined
    push?: PushEngine | undefined
  },
): RemoteTransport

/** A container of a pod, over `kubectl exec`. */
export declare function kubectl(options: {
  pod: string
  namespace?: string | undefined
  container?: string | undefined
  context?: string | undefined
  program?: string | undefined
  kubectl?: string | undefined
  socket?: string | undefined
  push?: PushEngine | undefined
}): RemoteTransport

/** Another machine over the `ssh` of this one, with its configuration and keys. `options`: more arguments, before the host. */
export declare function ssh(
  host: string,
  options?: {
    options?: readonly string[] | undefined
    program?: string | undefined
    ssh?: string | undefined
    socket?: string | undefined
    push?: PushEngine | undefined
  },
): RemoteTransport

/**
 * A port that `tenon serve --listen wss:… --token-file …` listens on; `ws:` on loopback only. `WebSocket`: the class, where the runtime has
 * none (Node.js before 22). A connection over it keeps the process alive until the toolkit is closed.
 */
export declare function websocket(url: string, options: { token: string; WebSocket?: unknown }): RemoteTransport

/**
 * A port that `tenon serve --listen tls:… --token-file …` listens on; without `tls` one of `tcp:` on loopback. `tls`: options of `tls.connect`, such as
 * `ca`, or `cert` and `key` where the engine was started with `--tls-client-ca`.
 */
export declare function tcp(options: {
  host?: string | undefined
  port: number
  token: string
  tls?: boolean | import('node:tls').ConnectionOptions | undefined
}): RemoteTransport

/** Where the engine is in a sandbox. */
export interface SandboxEngineOptions {
  /** The program. Default: `tenon-engine`, found by the PATH of the sandbox. */
  program?: string | undefined
  /** The socket that an engine listens on, where it was started with one. */
  socket?: string | undefined
  /** Brings the engine there, where the sandbox does not have it. */
  push?: PushEngine | undefined
}

/** What `sandboxSession` uses of a sandbox of the AI SDK: its type of version 7 is `Experimental_SandboxSession`. */
export interface AiSandboxSession {
  spawn(options: { command: string; stdin: true }): PromiseLike<{
    readonly stdin: WritableStream<Uint8Array>
    readonly stdout: ReadableStream<Uint8Array>
    readonly stderr: ReadableStream<Uint8Array>
    wait(): PromiseLike<{ exitCode: number }>
    kill(): PromiseLike<void>
  }>
  run(options: { command: string }): PromiseLike<{ exitCode: number; stdout: string; stderr: string }>
  writeBinaryFile(options: { path: string; content: Uint8Array }): PromiseLike<void>
}

/** A sandbox of the AI SDK, whichever its provider is, if its commands have an input. */
export declare function sandboxSession(session: AiSandboxSession, options?: SandboxEngineOptions): RemoteTransport

/** What `e2b` uses of a `Sandbox` of `e2b`. */
export interface E2BSandbox {
  sandboxId?: string | undefined
  commands: {
    run(
      command: string,
      options: {
        background: true
        stdin?: boolean
        timeoutMs?: number
        user?: string
        onStdout?: (text: string) => void
        onStderr?: (text: string) => void
      },
    ): Promise<{ pid: number; wait(): Promise<{ exitCode: number }> }>
    run(command: string, options?: { user?: string }): Promise<{ exitCode: number; stdout: string; stderr: string }>
    sendStdin(pid: number, data: string): Promise<void>
    kill(pid: number): Promise<boolean>
  }
  /** For `push`. */
  files?: { write(path: string, data: ArrayBuffer, options?: { user?: string }): Promise<unknown> } | undefined
}

/** A sandbox of E2B, with the engine in its template. */
export declare function e2b(sandbox: E2BSandbox, options?: SandboxEngineOptions & { user?: string | undefined }): RemoteTransport

/** What `daytona` uses of a `Sandbox` of `@daytonaio/sdk`. */
export interface DaytonaSandbox {
  id?: string | undefined
  process: {
    createSession(id: string): Promise<void>
    executeSessionCommand(id: string, request: { command: string; runAsync?: boolean; suppressInputEcho?: boolean }): Promise<{ cmdId: string }>
    getSessionCommandLogs(id: string, command: string, onStdout: (text: string) => void, onStderr: (text: string) => void): Promise<void>
    sendSessionCommandInput(id: string, command: string, data: string): Promise<void>
    deleteSession(id: string): Promise<void>
    /** For `push`. */
    executeCommand?(command: string): Promise<{ exitCode: number; result: string }>
  }
  /** For `push`. */
  fs?: { uploadFile(file: Buffer, path: string): Promise<void> } | undefined
}

/** A sandbox of Daytona, with the engine in its snapshot. */
export declare function daytona(sandbox: DaytonaSandbox, options?: SandboxEngineOptions): RemoteTransport

/** What `modal` uses of a `Sandbox` of `modal`. */
export interface ModalSandbox {
  sandboxId?: string | undefined
  exec(
    command: string[],
    options: { mode: 'binary' },
  ): Promise<{
    stdin: WritableStream<Uint8Array>
    stdout: ReadableStream<Uint8Array>
    stderr: ReadableStream<Uint8Array>
    wait(): Promise<number>
  }>
}

/** A sandbox of Modal, with the engine in its image. */
export declare function modal(sandbox: ModalSandbox, options?: SandboxEngineOptions): RemoteTransport

/** What `vercel` uses of a `Sandbox` of `@vercel/sandbox`. */
export interface VercelSandbox {
  runCommand(command: { cmd: string; args: string[]; detached: true }): Promise<{
    logs(): AsyncIterable<{ stream: 'stdout' | 'stderr'; data: string }>
    wait(): Promise<{ exitCode: number }>
    kill(): Promise<void>
  }>
  runCommand(command: { cmd: string; args: string[] }): Promise<{ exitCode: number; stdout(): Promise<string>; stderr(): Promise<string> }>
  /** For `push`. */
  writeFiles?(files: { path: string; content: Uint8Array }[]): Promise<void>
}

/** A sandbox of Vercel, with the engine in it. Commands have no input there: each message to the engine is a command. Needs `sh` and `mkfifo`. */
export declare function vercel(sandbox: VercelSandbox, options?: SandboxEngineOptions): RemoteTransport

/** What `cloudflare` uses of a sandbox of `@cloudflare/sandbox`. */
export interface CloudflareSandbox {
  startProcess(
    command: string,
    options: { onOutput?: (stream: 'stdout' | 'stderr', text: string) => void; onExit?: (code: number | null) => void; onError?: (error: Error) => void },
  ): Promise<{ kill(): Promise<void> }>
  exec(command: string): Promise<{ exitCode: number; stdout: string; stderr: string }>
  /** For `push`. */
  writeFile?(path: string, content: string, options: { encoding: string }): Promise<unknown>
}

/** A sandbox of Cloudflare, with the engine in its image. Commands have no input there, as in those of Vercel. */
export declare function cloudflare(sandbox: CloudflareSandbox, options?: SandboxEngineOptions): RemoteTransport

/** What `kubernetes` uses of `Exec` of `@kubernetes/client-node`. */
export interface KubernetesExec {
  exec(
    namespace: string,
    pod: string,
    container: string,
    command: string[],
    stdout: import('node:stream').Writable,
    stderr: import('node:stream').Writable,
    stdin: import('node:stream').Readable,
    tty: boolean,
    status?: (status: any) => void,
  ): Promise<unknown>
}

/** A container of a pod, without `kubectl`. */
export declare function kubernetes(
  exec: KubernetesExec,
  options: SandboxEngineOptions & { pod: string; namespace?: string | undefined; container?: string | undefined },
): RemoteTransport

/** What `agentSandbox` uses of `CustomObjectsApi` of `@kubernetes/client-node`. */
export interface KubernetesObjects {
  getNamespacedCustomObject(request: { group: string; version: string; namespace: string; plural: string; name: string }): Promise<any>
}

/**
 * A `Sandbox` of Kubernetes' agent-sandbox, with the engine in its image. Its pod is looked up for every connection: one of a warm pool has
 * another name, and after a pause it is another pod. `version`: of its API. Default: `v1beta1`.
 */
export declare function agentSandbox(
  clients: { exec: KubernetesExec; objects: KubernetesObjects },
  options: SandboxEngineOptions & { name: string; namespace?: string | undefined; container?: string | undefined; version?: string | undefined },
): RemoteTransport
