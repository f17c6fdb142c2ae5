import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolReturn } from "@jaf/core";
import { onTestFinished } from "vitest";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import {
  connectMcpServers,
  type McpOptions,
  type McpServerOptions,
  type McpServers,
  type McpWarning,
} from "../../src/index.ts";

const program = await bundleProcess(new URL("hostile-child.ts", import.meta.url));

export interface Hostile {
  readonly servers: McpServers;
  readonly warnings: readonly McpWarning[];
  /** Calls a tool of the server by its name there. */
  readonly call: (tool: string, args?: object, signal?: AbortSignal) => Promise<ToolReturn>;
  /** The tools that were called, in order. */
  readonly log: () => readonly string[];
}

/** Connects to a server that misbehaves, under the name "bad". */
export async function connectHostile(
  scenario: string,
  options: McpOptions = {},
  server: McpServerOptions = {},
): Promise<Hostile> {
  const folder = mkdtempSync(join(tmpdir(), "jaf-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "log");
  writeFileSync(file, "");
  const warnings: McpWarning[] = [];
  const bad = { command: process.execPath, args: [program, scenario, file], ...server };
  const servers = await connectMcpServers(
    { bad },
    { onWarning: (warning) => warnings.push(warning), ...options },
  );
  onTestFinished(() => servers.close());
  return {
    ...{ servers, warnings },
    call: (name, args = {}, signal) => callTool(servers, `bad__${name}`, { args, signal }),
    log: () => readFileSync(file, "utf8").split("\n").filter(Boolean),
  };
}

/** Calls a tool as the engine does, by its name for the model. */
export async function callTool(
  { tools }: Pick<McpServers, "tools">,
  name: string,
  { args = {}, signal }: { readonly args?: object; readonly signal?: AbortSignal | undefined } = {},
): Promise<ToolReturn> {
  const tool = tools.find(({ schema }) => schema.name === name);
  if (tool === undefined) throw new Error(`no tool "${name}" among ${names({ tools }).join(", ")}`);
  const parsed = await tool.schema.parameters.safeParseAsync(args);
  if (!parsed.success) throw new Error(`the arguments were refused: ${parsed.error.message}`);
  // The engine's information about the call; only the signal matters here.
  const call = signal === undefined ? undefined : ({ signal } as Parameters<typeof tool.execute>[2]);
  return tool.execute(parsed.data, {}, call);
}

export const names = ({ tools }: Pick<McpServers, "tools">): readonly string[] =>
  tools.map(({ schema }) => schema.name);
