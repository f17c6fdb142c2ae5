import {
  type Client,
  SdkError,
  SdkErrorCode,
  specTypeSchemas,
  type Tool,
} from "@modelcontextprotocol/client";
import { McpFailure } from "../connection/failure.ts";

/** A tool as its server defines it. */
export type ToolDefinition = Tool;

export interface ListedTools {
  readonly definitions: readonly ToolDefinition[];
  /** The names of tools whose definition breaks the protocol, as far as they have any. */
  readonly broken: readonly string[];
}

/** Takes any answer, which is checked tool by tool. */
const anything = {
  "~standard": { version: 1, vendor: "jaf", validate: (value: unknown) => ({ value }) },
} as const;

/** Reads the list of tools. One broken definition doesn't hide the others. Rejects with the client's errors. */
export async function listTools(client: Client, timeoutMs: number): Promise<ListedTools> {
  if (client.getServerCapabilities()?.tools === undefined) return { definitions: [], broken: [] };
  const options = { timeout: timeoutMs, maxTotalTimeout: timeoutMs };
  try {
    const { tools } = await client.listTools(undefined, { ...options, cacheMode: "refresh" });
    return { definitions: tools, broken: [] };
  } catch (thrown) {
    if (!(thrown instanceof SdkError) || thrown.code !== SdkErrorCode.InvalidResult) throw thrown;
    return soundOnes(await client.request({ method: "tools/list", params: {} }, anything, options));
  }
}

/** Returns the definitions that follow the protocol. Only of the first page, since a broken page has no sure next one. */
async function soundOnes(result: unknown): Promise<ListedTools> {
  const listed = (result as { readonly tools?: unknown } | null)?.tools;
  if (!Array.isArray(listed)) throw new McpFailure({ kind: "invalid" });
  const definitions: ToolDefinition[] = [];
  const broken: string[] = [];
  for (const each of listed as readonly unknown[]) {
    const checked = await specTypeSchemas.Tool["~standard"].validate(each);
    // The client leaves out tools with invalid headers only from sound lists.
    const isSound = !checked.issues && !JSON.stringify(each).includes('"x-mcp-header"');
    if (isSound) definitions.push(checked.value);
    else broken.push(nameIn(each));
  }
  return { definitions, broken };
}

const nameIn = (value: unknown): string => {
  const name: unknown = (value as { readonly name?: unknown } | null)?.name;
  return typeof name === "string" ? name : "(without a name)";
};
