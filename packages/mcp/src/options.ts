import { parseOptions } from "@jaf/memory/internal";
import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import * as z from "zod";
import type { McpElicit, McpProgress, McpWarning } from "./reports.ts";

/** A tool call for which {@link McpServerOptions.approval} decides. */
export interface McpCall {
  /** The server's name in `connectMcpServers`. */
  readonly server: string;
  /** The tool's name at the server, e.g. `read_file`. */
  readonly tool: string;
  /** The arguments, which match the tool's schema. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** Whether calls need an approval: for all, for none, or by a function. If the function throws, the call fails. */
export type McpApproval = "always" | "never" | ((call: McpCall) => boolean | Promise<boolean>);

/** What applies to servers of both kinds. */
export interface McpServerOptions {
  /**
   * Whether the hints that the server gives about its tools are believed. Default `false`.
   *
   * - A trusted tool needs an approval only if it isn't read-only and may destroy something. (By the protocol, a tool
   *   without hints may.)
   * - A trusted tool that is read-only or idempotent is called again if its call was cut off.
   */
  readonly trusted?: boolean | undefined;
  /** Whether calls need an approval. Default: each call, unless `trusted` says otherwise. */
  readonly approval?: McpApproval | undefined;
  /** Whether the model gets tools that list and read the server's resources, if it has any. Default `true`. */
  readonly resources?: boolean | undefined;
  /** Whether the model gets tools that list and fill in the server's prompts, if it has any. Default `true`. */
  readonly prompts?: boolean | undefined;
}

/** A server that runs as a child process and is spoken to over its standard input and output. */
export interface McpProcess extends McpServerOptions {
  /** The program, e.g. `"npx"`. It isn't run in a shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Environment variables, beside a few harmless ones of this process (e.g. `PATH`, `HOME`). */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The working folder. Default: that of this process. */
  readonly cwd?: string | undefined;
  /** What becomes of the process's standard error. Default `"ignore"`. */
  readonly stderr?: "ignore" | "inherit" | undefined;
}

/** A server at an address: Streamable HTTP, or the older HTTP with SSE where the server knows nothing else. */
export interface McpEndpoint extends McpServerOptions {
  readonly url: string | URL;
  /** Headers of each request, e.g. an API key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** OAuth, or a bearer token: `{ token: async () => key }`. See `McpServers.finishAuth` for logins in a browser. */
  readonly authProvider?: AuthProvider | OAuthClientProvider | undefined;
  /** In place of the global `fetch`. It must hand on `redirect`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** One MCP server. */
export type McpServer = McpProcess | McpEndpoint;

/** Limits and observers of {@link connectMcpServers}. All limits hold for each server. */
export interface McpOptions {
  /** The time limit for connecting, in milliseconds. Default 30,000. */
  readonly connectMs?: number | undefined;
  /** The time limit of a tool call, in milliseconds; the server's progress doesn't extend it. Default 60,000. */
  readonly callMs?: number | undefined;
  /** The maximum size of a message of the server, in bytes. A larger one closes the connection. Default 10 MiB. */
  readonly messageBytes?: number | undefined;
  /** The maximum text of a result that the model gets, in bytes of UTF-8. The rest is cut, with a note. Default 64 KiB. */
  readonly resultBytes?: number | undefined;
  /** The maximum of images, audio and files in one result, in bytes. Others are left out, with a note. Default 5 MiB. */
  readonly mediaBytes?: number | undefined;
  /** The maximum size of a tool's JSON Schema, in bytes. A tool with a larger one is left out. Default 32 KiB. */
  readonly schemaBytes?: number | undefined;
  /** The maximum size of a tool's description, in bytes. The rest is cut. Default 4 KiB. */
  readonly descriptionBytes?: number | undefined;
  /** The maximum number of tools. Further ones are left out. Default 128. */
  readonly tools?: number | undefined;
  /** Gets what is wrong with a server or a tool. Default: a process warning of the name `JAFMcpWarning`. */
  readonly onWarning?: ((warning: McpWarning) => void) | undefined;
  /** Gets the progress of running calls, where a server reports it. */
  readonly onProgress?: ((progress: McpProgress) => void) | undefined;
  /** Answers questions that a server asks the user during a call. Absent: the server is told that none can be asked. */
  readonly elicit?: McpElicit | undefined;
}

const isFunction = (value: unknown): boolean => typeof value === "function";
const callback = <T>() => z.custom<T>(isFunction, "expected a function").optional();

const common = {
  trusted: z.boolean().default(false),
  approval: z
    .custom<McpApproval>(
      (value) => value === "always" || value === "never" || isFunction(value),
      'expected "always", "never" or a function',
    )
    .optional(),
  resources: z.boolean().default(true),
  prompts: z.boolean().default(true),
};

const processSchema = z.strictObject({
  ...common,
  command: z.string().min(1),
  args: z.array(z.string()).readonly().default([]),
  env: z.record(z.string(), z.string()).readonly().default({}),
  cwd: z.string().optional(),
  stderr: z.enum(["ignore", "inherit"]).default("ignore"),
});

const endpointSchema = z.strictObject({
  ...common,
  url: z.union([z.url({ protocol: /^https?$/ }), z.instanceof(URL)], {
    error: "expected an http(s) address",
  }),
  headers: z.record(z.string(), z.string()).readonly().default({}),
  authProvider: z
    .custom<AuthProvider | OAuthClientProvider>(
      (value) => typeof value === "object" && value !== null,
      "expected an object",
    )
    .optional(),
  fetch: callback<typeof globalThis.fetch>(),
});

/** With it, the name of a server can be told from the rest of a tool's name: the first `__` separates them. */
const SERVER_NAME = /^(?!.*__)[a-zA-Z0-9_-]{0,23}[a-zA-Z0-9-]$/;

const serversSchema = z.record(
  z.string().regex(SERVER_NAME, "expected 1 to 24 letters, digits, - and _, with no __ and no _ at the end"),
  // By the field that tells them apart, so that errors name the field that is wrong.
  z.unknown().transform((server, context): ParsedServer => {
    const isEndpoint = typeof server === "object" && server !== null && "url" in server;
    const parsed = (isEndpoint ? endpointSchema : processSchema).safeParse(server);
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues)
      context.addIssue({ code: "custom", path: [...path], message });
    return z.NEVER;
  }),
);

const bytes = z.int().min(1);
const milliseconds = z.int().min(1).max(2_147_483_647);

const optionsSchema = z.strictObject({
  connectMs: milliseconds.default(30_000),
  callMs: milliseconds.default(60_000),
  messageBytes: bytes.default(10 * 1024 * 1024),
  resultBytes: bytes.default(64 * 1024),
  mediaBytes: bytes.default(5 * 1024 * 1024),
  schemaBytes: bytes.default(32 * 1024),
  descriptionBytes: bytes.default(4 * 1024),
  tools: z.int().min(1).default(128),
  onWarning: callback<(warning: McpWarning) => void>(),
  onProgress: callback<(progress: McpProgress) => void>(),
  elicit: callback<McpElicit>(),
});

export type ParsedProcess = z.output<typeof processSchema>;
export type ParsedEndpoint = z.output<typeof endpointSchema>;
export type ParsedServer = ParsedProcess | ParsedEndpoint;
export type ParsedOptions = z.output<typeof optionsSchema>;

export const parseServers = (servers: unknown): Readonly<Record<string, ParsedServer>> =>
  parseOptions(serversSchema, servers, "servers of connectMcpServers");

export const parseMcpOptions = (options: McpOptions): ParsedOptions =>
  parseOptions(optionsSchema, options, "options of connectMcpServers");
