import type { CallToolResult } from "@modelcontextprotocol/client";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { bundleProcess } from "../../../../test/process-bundle.ts";

/** What the user answers to a question; `undefined`: the client can't ask. */
export type Elicit = (question: string) => "yes" | "no" | "cancel";

export interface ClientOptions {
  readonly elicit?: Elicit | undefined;
  /** The generation of the protocol. Default: the newest that the server has. */
  readonly generation?: "2025" | "newest";
}

const ANSWERS = {
  yes: { action: "accept", content: { confirm: true } },
  no: { action: "decline" },
  cancel: { action: "cancel" },
} as const;

export async function connect(
  transport: Transport,
  { elicit, generation = "newest" }: ClientOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      ...(generation === "newest" ? { versionNegotiation: { mode: "auto" as const } } : {}),
      capabilities: elicit === undefined ? {} : { elicitation: { form: {} } },
    },
  );
  if (elicit !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) => ({
      ...ANSWERS[elicit(params.message)],
    }));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

export function connectHttp(
  url: string,
  { token, ...options }: ClientOptions & { readonly token?: string | undefined },
): Promise<Client> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), options);
}

export interface ProcessOptions extends ClientOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The transport of a process. To find the generation of the protocol, the client first starts a process more behind a plain
 * `StdioClientTransport`, but asks this one itself.
 */
class OneProcessTransport extends StdioClientTransport {}

/** Starts the program in a process and connects over stdio. */
export async function connectStdio({ args, env = {}, ...options }: ProcessOptions): Promise<Client> {
  const program = await bundleProcess(new URL("../../src/bin.ts", import.meta.url));
  const transport = new OneProcessTransport({
    command: process.execPath,
    args: [program, ...args],
    env: { ...env, PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    stderr: "inherit",
  });
  return connect(transport, options);
}

export interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Record<string, unknown>;
}

/** Calls a tool. */
export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Called> {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return { isError: result.isError === true, text, data: { ...(result.structuredContent as object) } };
}

/** The ids of the facts in a result. */
export const idsIn = ({ data }: Called, field = "facts"): readonly string[] =>
  (data[field] as readonly { readonly id: string }[]).map(({ id }) => id);

/** The statements of the facts in a result. */
export const statementsIn = ({ data }: Called, field = "facts"): readonly string[] =>
  (data[field] as readonly { readonly statement: string }[]).map(({ statement }) => statement);
