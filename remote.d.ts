import type { RemoteTransport, RemoteWorkspace } from './index.js'

export interface RemoteOptions {
  /** The directory of the workspace, where the engine is. */
  path: string
  /** The way to the engine. */
  via: RemoteTransport
  /** Whether web tools run where the engine is, from its network. Default: `off`, there are none. */
  web?: 'off' | 'engine'
}

/** A workspace that is elsewhere, for the option `workspace` of a toolkit. @throws {ToolError} for options that cannot be used */
export declare function remote(options: RemoteOptions): RemoteWorkspace

/** A Unix socket that `tenon serve --listen unix:…` listens on. */
export declare function unix(path: string): RemoteTransport

/** A command whose standard input and output are the connection, such as `[…, 'tenon-engine', 'attach']`. */
export declare function command(argv: readonly string[], options?: { name?: string }): RemoteTransport

/** What a function starts: an object like that of `child_process.spawn`, with pipes. */
export declare function spawn(start: () => unknown): RemoteTransport

/** A container of Docker or Podman, with the engine in its image. `docker`: the client program; `socket`: of the engine, in the container. */
export declare function docker(container: string, options?: { program?: string; docker?: string; user?: string; socket?: string }): RemoteTransport

/** A container of a pod, over `kubectl exec`. */
export declare function kubectl(options: {
  pod: string
  namespace?: string
  container?: string
  context?: string
  program?: string
  kubectl?: string
  socket?: string
}): RemoteTransport

/** Another machine over the `ssh` of this one, with its configuration and keys. `options`: more arguments, before the host. */
export declare function ssh(host: string, options?: { options?: readonly string[]; program?: string; ssh?: string; socket?: string }): RemoteTransport

/**
 * A port that `tenon serve --listen wss:… --token-file …` listens on; `ws:` on loopback only. `WebSocket`: the class, where the runtime has
 * none (Node.js before 22). A connection over it keeps the process alive until the toolkit is closed.
 */
export declare function websocket(url: string, options: { token: string; WebSocket?: unknown }): RemoteTransport

/** Where the engine is in a sandbox. */
export interface SandboxEngineOptions {
  /** The program. Default: `tenon-engine`, found by the PATH of the sandbox. */
  program?: string
  /** The socket that an engine listens on, where it was started with one. */
  socket?: string
}

/** What `e2b` uses of a `Sandbox` of `e2b`. */
export interface E2BSandbox {
  sandboxId?: string
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
    sendStdin(pid: number, data: string): Promise<void>
    kill(pid: number): Promise<boolean>
  }
}

/** A sandbox of E2B, with the engine in its template. */
export declare function e2b(sandbox: E2BSandbox, options?: SandboxEngineOptions & { user?: string }): RemoteTransport

/** What `daytona` uses of a `Sandbox` of `@daytonaio/sdk`. */
export interface DaytonaSandbox {
  id?: string
  process: {
    createSession(id: string): Promise<void>
    executeSessionCommand(id: string, request: { command: string; runAsync?: boolean; suppressInputEcho?: boolean }): Promise<{ cmdId: string }>
    getSessionCommandLogs(id: string, command: string, onStdout: (text: string) => void, onStderr: (text: string) => void): Promise<void>
    sendSessionCommandInput(id: string, command: string, data: string): Promise<void>
    deleteSession(id: string): Promise<void>
  }
}

/** A sandbox of Daytona, with the engine in its snapshot. */
export declare function daytona(sandbox: DaytonaSandbox, options?: SandboxEngineOptions): RemoteTransport

/** What `modal` uses of a `Sandbox` of `modal`. */
export interface ModalSandbox {
  sandboxId?: string
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
  runCommand(command: { cmd: string; args: string[] }): Promise<{ exitCode: number }>
}

/** A sandbox of Vercel, with the engine in it. Commands have no input there: each message to the engine is a command. Needs `sh` and `mkfifo`. */
export declare function vercel(sandbox: VercelSandbox, options?: SandboxEngineOptions): RemoteTransport

/** What `cloudflare` uses of a sandbox of `@cloudflare/sandbox`. */
export interface CloudflareSandbox {
  startProcess(
    command: string,
    options: { onOutput?: (stream: 'stdout' | 'stderr', text: string) => void; onExit?: (code: number | null) => void; onError?: (error: Error) => void },
  ): Promise<{ kill(): Promise<void> }>
  exec(command: string): Promise<{ exitCode: number }>
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
  options: SandboxEngineOptions & { pod: string; namespace?: string; container?: string },
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
  options: SandboxEngineOptions & { name: string; namespace?: string; container?: string; version?: string },
): RemoteTransport
